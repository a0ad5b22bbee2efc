"""Gated recurrent nets, after their papers and manuals."""

from __future__ import annotations

import numpy as np
from printed import cell, sigma


@cell(
    "PyTorch, documentation of nn.LSTM",
    r"""
    \begin{array}{ll} \\
        i_t = \sigma(W_{ii} x_t + b_{ii} + W_{hi} h_{t-1} + b_{hi}) \\
        f_t = \sigma(W_{if} x_t + b_{if} + W_{hf} h_{t-1} + b_{hf}) \\
        g_t = \tanh(W_{ig} x_t + b_{ig} + W_{hg} h_{t-1} + b_{hg}) \\
        o_t = \sigma(W_{io} x_t + b_{io} + W_{ho} h_{t-1} + b_{ho}) \\
        c_t = f_t \odot c_{t-1} + i_t \odot g_t \\
        h_t = o_t \odot \tanh(c_t) \\
    \end{array}
    """,
)
def lstm(w, now, past):
    def net(name):
        return w[f"W_i{name}"] @ now.x + w[f"b_i{name}"] + w[f"W_h{name}"] @ past("h") + w[f"b_h{name}"]

    i, f, g, o = sigma(net("i")), sigma(net("f")), np.tanh(net("g")), sigma(net("o"))
    c = f * past("c") + i * g
    return {"i": i, "f": f, "g": g, "o": o, "c": c, "h": o * np.tanh(c)}


@cell(
    "PyTorch, documentation of nn.GRU: the reset gate behind the product",
    r"""
    \begin{array}{ll}
        r_t = \sigma(W_{ir} x_t + b_{ir} + W_{hr} h_{(t-1)} + b_{hr}) \\
        z_t = \sigma(W_{iz} x_t + b_{iz} + W_{hz} h_{(t-1)} + b_{hz}) \\
        n_t = \tanh(W_{in} x_t + b_{in} + r_t \odot (W_{hn} h_{(t-1)}+ b_{hn})) \\
        h_t = (1 - z_t) \odot n_t + z_t \odot h_{(t-1)}
    \end{array}
    """,
)
def gru_after(w, now, past):
    r = sigma(w.W_ir @ now.x + w.b_ir + w.W_hr @ past("h") + w.b_hr)
    z = sigma(w.W_iz @ now.x + w.b_iz + w.W_hz @ past("h") + w.b_hz)
    n = np.tanh(w.W_in @ now.x + w.b_in + r * (w.W_hn @ past("h") + w.b_hn))
    return {"r": r, "z": z, "n": n, "h": (1 - z) * n + z * past("h")}


@cell(
    "Chung et al. 2014, Empirical evaluation of gated recurrent neural networks: the reset gate before the product",
    r"""
    \begin{align}
    z_t &= \sigma(W_z \mathbf{x}_t + U_z \mathbf{h}_{t-1}) \\
    r_t &= \sigma(W_r \mathbf{x}_t + U_r \mathbf{h}_{t-1}) \\
    \tilde{\mathbf{h}}_t &= \tanh(W \mathbf{x}_t + U(\mathbf{r}_t \odot \mathbf{h}_{t-1})) \\
    \mathbf{h}_t &= (1 - z_t) \odot \mathbf{h}_{t-1} + z_t \odot \tilde{\mathbf{h}}_t
    \end{align}
    """,
)
def gru_before(w, now, past):
    z = sigma(w.W_z @ now.x + w.U_z @ past("h"))
    r = sigma(w.W_r @ now.x + w.U_r @ past("h"))
    new = np.tanh(w.W @ now.x + w.U @ (r * past("h")))
    return {"z": z, "r": r, "h_tilde": new, "h": (1 - z) * past("h") + z * new}


@cell(
    "Olah 2015, Understanding LSTM networks",
    r"""
    f_t = \sigma(W_f \cdot [h_{t-1}, x_t] + b_f)
    i_t = \sigma(W_i \cdot [h_{t-1}, x_t] + b_i)
    \tilde{C}_t = \tanh(W_C \cdot [h_{t-1}, x_t] + b_C)
    C_t = f_t * C_{t-1} + i_t * \tilde{C}_t
    o_t = \sigma(W_o [h_{t-1}, x_t] + b_o)
    h_t = o_t * \tanh(C_t)
    """,
)
def lstm_stacked(w, now, past):
    def net(name):
        return w[f"W_{name}_h"] @ past("h") + w[f"W_{name}_x"] @ now.x + w[f"b_{name}"]

    f, i, o, new = sigma(net("f")), sigma(net("i")), sigma(net("o")), np.tanh(net("C"))
    c = f * past("C") + i * new
    return {"f": f, "i": i, "o": o, "C_tilde": new, "C": c, "h": o * np.tanh(c)}


@cell(
    "Gers & Schmidhuber 2000 as printed by Greff et al. 2017, LSTM: a search space odyssey (peepholes)",
    r"""
    \bar{z}^t = W_z x^t + R_z y^{t-1} + b_z \\
    z^t = g(\bar{z}^t) \\
    \bar{i}^t = W_i x^t + R_i y^{t-1} + p_i \odot c^{t-1} + b_i \\
    i^t = \sigma(\bar{i}^t) \\
    \bar{f}^t = W_f x^t + R_f y^{t-1} + p_f \odot c^{t-1} + b_f \\
    f^t = \sigma(\bar{f}^t) \\
    c^t = z^t \odot i^t + c^{t-1} \odot f^t \\
    \bar{o}^t = W_o x^t + R_o y^{t-1} + p_o \odot c^t + b_o \\
    o^t = \sigma(\bar{o}^t) \\
    y^t = \tanh(c^t) \odot o^t
    """,
)
def lstm_peephole(w, now, past):
    def net(name):
        return w[f"W_{name}"] @ now.x + w[f"R_{name}"] @ past("y") + w[f"b_{name}"]

    z = np.tanh(net("z"))
    i, f = sigma(net("i") + w.p_i * past("c")), sigma(net("f") + w.p_f * past("c"))
    c = z * i + past("c") * f
    o = sigma(net("o") + w.p_o * c)
    return {"z": z, "i": i, "f": f, "c": c, "o": o, "y": np.tanh(c) * o, "z_bar": net("z")}


@cell(
    "Sak, Senior & Beaufays 2014, Long short-term memory recurrent neural network architectures (projection)",
    """
    i_t = sigma(W_{ix} x_t + W_{ir} r_{t-1} + w_{ic} * c_{t-1} + b_i)
    f_t = sigma(W_{fx} x_t + W_{fr} r_{t-1} + w_{fc} * c_{t-1} + b_f)
    c_t = f_t * c_{t-1} + i_t * g(W_{cx} x_t + W_{cr} r_{t-1} + b_c)
    o_t = sigma(W_{ox} x_t + W_{or} r_{t-1} + w_{oc} * c_t + b_o)
    m_t = o_t * tanh(c_t)
    r_t = W_{rm} m_t
    y_t = phi(W_{yr} r_t + b_y)
    """,
)
def lstm_projection(w, now, past):
    def net(name):
        return w[f"W_{name}x"] @ now.x + w[f"W_{name}r"] @ past("r") + w[f"b_{name}"]

    i, f = sigma(net("i") + w.w_ic * past("c")), sigma(net("f") + w.w_fc * past("c"))
    c = f * past("c") + i * np.tanh(net("c"))
    o = sigma(net("o") + w.w_oc * c)
    m = o * np.tanh(c)
    return {"i": i, "f": f, "c": c, "o": o, "m": m, "r": w.W_rm @ m, "y": np.tanh(w.W_yr @ w.W_rm @ m + w.b_y)}


@cell(
    "Zhou et al. 2016, Minimal gated unit for recurrent neural networks (MGU)",
    r"""
    f_t = \sigma(W_f [h_{t-1}, x_t] + b_f) \\
    \tilde{h}_t = \tanh(W_h [f_t \odot h_{t-1}, x_t] + b_h) \\
    h_t = (1 - f_t) \odot h_{t-1} + f_t \odot \tilde{h}_t
    """,
)
def mgu(w, now, past):
    f = sigma(w.W_f_h @ past("h") + w.W_f_x @ now.x + w.b_f)
    new = np.tanh(w.W_h_1 @ (f * past("h")) + w.W_h_x @ now.x + w.b_h)
    return {"f": f, "h_tilde": new, "h": (1 - f) * past("h") + f * new}


@cell(
    "Feng et al. 2024, Were RNNs all we needed? (minGRU)",
    r"""
    z_t = \sigma(W_z x_t) \\
    \tilde{h}_t = W_h x_t \\
    h_t = (1 - z_t) \odot h_{t-1} + z_t \odot \tilde{h}_t
    """,
)
def mingru(w, now, past):
    z, new = sigma(w.W_z @ now.x), w.W_h @ now.x
    return {"z": z, "h_tilde": new, "h": (1 - z) * past("h") + z * new}


@cell(
    "Collins, Sohl-Dickstein & Sussillo 2017, Capacity and trainability in recurrent neural networks (UGRNN)",
    """
    c_t = f(W^{ch} h_{t-1} + W^{cx} x_t + b^c)
    g_t = sigma(W^{gh} h_{t-1} + W^{gx} x_t + b^g + b^{fg})
    h_t = g_t ⊙ h_{t-1} + (1 - g_t) ⊙ c_t
    """,
)
def ugrnn(w, now, past):
    c = np.tanh(w.W_ch @ past("h") + w.W_cx @ now.x + w.b_c)
    g = sigma(w.W_gh @ past("h") + w.W_gx @ now.x + w.b_g + w.b_fg)
    return {"c": c, "g": g, "h": g * past("h") + (1 - g) * c}


@cell(
    "van der Westhuizen & Lasenby 2018, The unreasonable effectiveness of the forget gate (JANET)",
    r"""
    s_t = U_f h_{t-1} + W_f x_t + b_f \\
    \tilde{c}_t = \tanh(U_c h_{t-1} + W_c x_t + b_c) \\
    c_t = \sigma(s_t) \odot c_{t-1} + (1 - \sigma(s_t - \beta)) \odot \tilde{c}_t \\
    h_t = c_t
    """,
)
def janet(w, now, past):
    s = w.U_f @ past("h") + w.W_f @ now.x + w.b_f
    new = np.tanh(w.U_c @ past("h") + w.W_c @ now.x + w.b_c)
    c = sigma(s) * past("c") + (1 - sigma(s - w.beta)) * new
    return {"s": s, "c_tilde": new, "c": c, "h": c}


@cell(
    "Lei et al. 2018, Simple recurrent units for highly parallelizable recurrence (SRU)",
    r"""
    f_t = \sigma(W_f x_t + v_f \odot c_{t-1} + b_f) \\
    c_t = f_t \odot c_{t-1} + (1 - f_t) \odot (W x_t) \\
    r_t = \sigma(W_r x_t + v_r \odot c_{t-1} + b_r) \\
    h_t = r_t \odot c_t + (1 - r_t) \odot x_t
    """,
)
def sru(w, now, past):
    f = sigma(w.W_f @ now.x + w.v_f * past("c") + w.b_f)
    c = f * past("c") + (1 - f) * (w.W @ now.x)
    r = sigma(w.W_r @ now.x + w.v_r * past("c") + w.b_r)
    return {"f": f, "c": c, "r": r, "h": r * c + (1 - r) * now.x}


MUT = "Jozefowicz, Zaremba & Sutskever 2015, An empirical exploration of recurrent network architectures"


@cell(
    f"{MUT} (MUT1)",
    r"""
    z_t = sigma(W_{xz} x_t + b_z)
    r_t = sigma(W_{xr} x_t + W_{hr} h_{t-1} + b_r)
    h_t = tanh(W_{hh} (r_t ⊙ h_{t-1}) + tanh(x_t) + b_h) ⊙ z_t + h_{t-1} ⊙ (1 - z_t)
    """,
)
def mut1(w, now, past):
    z = sigma(w.W_xz @ now.x + w.b_z)
    r = sigma(w.W_xr @ now.x + w.W_hr @ past("h") + w.b_r)
    return {"h": np.tanh(w.W_hh @ (r * past("h")) + np.tanh(now.x) + w.b_h) * z + past("h") * (1 - z)}


@cell(
    f"{MUT} (MUT2)",
    """
    z_t = sigma(W_{xz} x_t + W_{hz} h_{t-1} + b_z)
    r_t = sigma(x_t + W_{hr} h_{t-1} + b_r)
    h_t = tanh(W_{hh} (r_t ⊙ h_{t-1}) + W_{xh} x_t + b_h) ⊙ z_t + h_{t-1} ⊙ (1 - z_t)
    """,
)
def mut2(w, now, past):
    z = sigma(w.W_xz @ now.x + w.W_hz @ past("h") + w.b_z)
    r = sigma(now.x + w.W_hr @ past("h") + w.b_r)
    return {"h": np.tanh(w.W_hh @ (r * past("h")) + w.W_xh @ now.x + w.b_h) * z + past("h") * (1 - z)}


@cell(
    f"{MUT} (MUT3)",
    """
    z_t = sigma(W_{xz} x_t + W_{hz} tanh(h_{t-1}) + b_z)
    r_t = sigma(W_{xr} x_t + W_{hr} h_{t-1} + b_r)
    h_t = tanh(W_{hh} (r_t ⊙ h_{t-1}) + W_{xh} x_t + b_h) ⊙ z_t + h_{t-1} ⊙ (1 - z_t)
    """,
)
def mut3(w, now, past):
    z = sigma(w.W_xz @ now.x + w.W_hz @ np.tanh(past("h")) + w.b_z)
    r = sigma(w.W_xr @ now.x + w.W_hr @ past("h") + w.b_r)
    return {"h": np.tanh(w.W_hh @ (r * past("h")) + w.W_xh @ now.x + w.b_h) * z + past("h") * (1 - z)}


@cell(
    "Zilly et al. 2017, Recurrent highway networks, of depth two",
    """
    a_t = tanh(W_H x_t + R_{1} s_{t-1} + b_{1})
    g_t = sigma(W_T x_t + Q_{1} s_{t-1} + d_{1})
    u_t = a_t ⊙ g_t + s_{t-1} ⊙ (1 - g_t)
    e_t = tanh(R_2 u_t + b_2)
    k_t = sigma(Q_2 u_t + d_2)
    s_t = e_t ⊙ k_t + u_t ⊙ (1 - k_t)
    """,
)
def highway(w, now, past):
    s = past("s")
    g = sigma(w.W_T @ now.x + w.Q_1 @ s + w.d_1)
    u = np.tanh(w.W_H @ now.x + w.R_1 @ s + w.b_1) * g + s * (1 - g)
    k = sigma(w.Q_2 @ u + w.d_2)
    return {"u": u, "s": np.tanh(w.R_2 @ u + w.b_2) * k + u * (1 - k)}


@cell(
    "Bradbury et al. 2017, Quasi-recurrent neural networks (QRNN, width two, fo-pooling)",
    r"""
    z_t = \tanh(V_z x_{t-1} + W_z x_t)
    f_t = \sigma(V_f x_{t-1} + W_f x_t)
    o_t = \sigma(V_o x_{t-1} + W_o x_t)
    c_t = f_t \odot c_{t-1} + (1 - f_t) \odot z_t
    h_t = o_t \odot c_t
    """,
)
def qrnn(w, now, past):
    z = np.tanh(w.V_z @ past("x") + w.W_z @ now.x)
    f, o = (sigma(w[f"V_{name}"] @ past("x") + w[f"W_{name}"] @ now.x) for name in "fo")
    c = f * past("c") + (1 - f) * z
    return {"c": c, "h": o * c}


@cell(
    "Kusupati et al. 2018, FastGRNN",
    r"""
    z_t = \sigma(W x_t + U h_{t-1} + b_z) \\
    \tilde{h}_t = \tanh(W x_t + U h_{t-1} + b_h) \\
    h_t = (\zeta (1 - z_t) + \nu) \odot \tilde{h}_t + z_t \odot h_{t-1}
    """,
)
def fastgrnn(w, now, past):
    net = w.W @ now.x + w.U @ past("h")
    z, new = sigma(net + w.b_z), np.tanh(net + w.b_h)
    return {"h": (w.zeta * (1 - z) + w.nu) * new + z * past("h")}


@cell(
    "Krause et al. 2016, Multiplicative LSTM for sequence modelling",
    r"""
    m_t = (W_{mx} x_t) \odot (W_{mh} h_{t-1}) \\
    \hat{h}_t = W_{hx} x_t + W_{hm} m_t \\
    i_t = \sigma(W_{ix} x_t + W_{im} m_t) \\
    o_t = \sigma(W_{ox} x_t + W_{om} m_t) \\
    f_t = \sigma(W_{fx} x_t + W_{fm} m_t) \\
    c_t = f_t \odot c_{t-1} + i_t \odot \tanh(\hat{h}_t) \\
    h_t = \tanh(c_t) \odot o_t
    """,
)
def multiplicative_lstm(w, now, past):
    m = (w.W_mx @ now.x) * (w.W_mh @ past("h"))
    i, o, f = (sigma(w[f"W_{name}x"] @ now.x + w[f"W_{name}m"] @ m) for name in "iof")
    c = f * past("c") + i * np.tanh(w.W_hx @ now.x + w.W_hm @ m)
    return {"m": m, "c": c, "h": np.tanh(c) * o}


@cell(
    "Neil, Pfeiffer & Liu 2016, Phased LSTM, with the openness of the time gate given",
    r"""
    f_t = \sigma_f(W_{xf} x_t + W_{hf} h_{t-1} + w_{cf} \odot c_{t-1} + b_f)
    i_t = \sigma_i(W_{xi} x_t + W_{hi} h_{t-1} + w_{ci} \odot c_{t-1} + b_i)
    \tilde{c}_t = f_t \odot c_{t-1} + i_t \odot \sigma_c(W_{xc} x_t + W_{hc} h_{t-1} + b_c)
    c_t = k_t \odot \tilde{c}_t + (1 - k_t) \odot c_{t-1}
    o_t = \sigma_o(W_{xo} x_t + W_{ho} h_{t-1} + w_{co} \odot c_t + b_o)
    \tilde{h}_t = o_t \odot \sigma_h(\tilde{c}_t)
    h_t = k_t \odot \tilde{h}_t + (1 - k_t) \odot h_{t-1}
    """,
)
def phased_lstm(w, now, past):
    def net(name):
        return w[f"W_x{name}"] @ now.x + w[f"W_h{name}"] @ past("h") + w[f"b_{name}"]

    f, i = sigma(net("f") + w.w_cf * past("c")), sigma(net("i") + w.w_ci * past("c"))
    new = f * past("c") + i * sigma(net("c"))
    c = now.k * new + (1 - now.k) * past("c")
    out = sigma(net("o") + w.w_co * c) * sigma(new)
    return {"c_tilde": new, "c": c, "h": now.k * out + (1 - now.k) * past("h")}
