"""Cells whose output is divided by a normalizer that they carry beside their state, after their papers."""

from __future__ import annotations

import numpy as np
from printed import cell, sigma


@cell(
    "Beck et al. 2024, xLSTM: extended long short-term memory (sLSTM)",
    r"""
    c_t = f_t \odot c_{t-1} + i_t \odot z_t \\
    n_t = f_t \odot n_{t-1} + i_t \\
    h_t = o_t \odot (c_t / n_t) \\
    z_t = \varphi(W_z x_t + R_z h_{t-1} + b_z) \\
    i_t = \exp(W_i x_t + R_i h_{t-1} + b_i) \\
    f_t = \exp(W_f x_t + R_f h_{t-1} + b_f) \\
    o_t = \sigma(W_o x_t + R_o h_{t-1} + b_o)
    """,
)
def slstm(w, now, past):
    def net(name):
        return w[f"W_{name}"] @ now.x + w[f"R_{name}"] @ past("h") + w[f"b_{name}"]

    i, f = np.exp(net("i")), np.exp(net("f"))
    c, n = f * past("c") + i * np.tanh(net("z")), f * past("n") + i
    return {"c": c, "n": n, "h": sigma(net("o")) * c / n}


@cell(
    "Beck et al. 2024, xLSTM: extended long short-term memory (sLSTM with its stabilizer)",
    r"""
    a_t = W_f x_t + R_f h_{t-1} + b_f \\
    e_t = W_i x_t + R_i h_{t-1} + b_i \\
    m_t = \max(a_t + m_{t-1}, e_t) \\
    f_t = \exp(a_t + m_{t-1} - m_t) \\
    i_t = \exp(e_t - m_t) \\
    c_t = f_t \odot c_{t-1} + i_t \odot \varphi(W_z x_t + R_z h_{t-1} + b_z) \\
    n_t = f_t \odot n_{t-1} + i_t \\
    h_t = \sigma(W_o x_t + R_o h_{t-1} + b_o) \odot c_t / n_t
    """,
)
def slstm_stable(w, now, past):
    def net(name):
        return w[f"W_{name}"] @ now.x + w[f"R_{name}"] @ past("h") + w[f"b_{name}"]

    m = np.maximum(net("f") + past("m"), net("i"))
    f, i = np.exp(net("f") + past("m") - m), np.exp(net("i") - m)
    c, n = f * past("c") + i * np.tanh(net("z")), f * past("n") + i
    return {"m": m, "c": c, "n": n, "h": sigma(net("o")) * c / n}


@cell(
    "Beck et al. 2024, xLSTM: extended long short-term memory (mLSTM, without the bound of its normalizer)",
    r"""
    C_t = f_t C_{t-1} + i_t v_t k_t^T \\
    n_t = f_t n_{t-1} + i_t k_t \\
    h_t = o_t \odot (C_t q_t / (n_t^T q_t)) \\
    q_t = W_q x_t + b_q \\
    k_t = W_k x_t + b_k \\
    v_t = W_v x_t + b_v \\
    i_t = \exp(w_i^T x_t + b_i) \\
    f_t = \sigma(w_f^T x_t + b_f) \\
    o_t = \sigma(W_o x_t + b_o)
    """,
)
def mlstm(w, now, past):
    q, k, v = (w[f"W_{name}"] @ now.x + w[f"b_{name}"] for name in "qkv")
    i, f = np.exp(w.w_i @ now.x + w.b_i), sigma(w.w_f @ now.x + w.b_f)
    C, n = f * past("C") + i * np.outer(v, k), f * past("n") + i * k
    return {"C": C, "n": n, "h": sigma(w.W_o @ now.x + w.b_o) * (C @ q) / (n @ q)}


@cell(
    "Katharopoulos et al. 2020, Transformers are RNNs (linear attention)",
    r"""
    S_t = S_{t-1} + \phi(W_K x_t) (W_V x_t)^T \\
    z_t = z_{t-1} + \phi(W_K x_t) \\
    y_t = S_t^T \phi(W_Q x_t) / (\phi(W_Q x_t)^T z_t)
    """,
)
def linear_attention(w, now, past):
    key, query = np.tanh(w.W_K @ now.x), np.tanh(w.W_Q @ now.x)
    S, z = past("S") + np.outer(key, w.W_V @ now.x), past("z") + key
    return {"S": S, "z": z, "y": S.T @ query / (query @ z)}


@cell(
    "Peng et al. 2023, RWKV: reinventing RNNs for the transformer era, its time mixing as a recurrence",
    r"""
    w \in \mathbb{R}^d
    k_t = W_k x_t, \quad v_t = W_v x_t, \quad r_t = W_r x_t
    e_t = \exp(k_t)
    a_t = \exp(-w) \odot a_{t-1} + e_t \odot v_t
    b_t = \exp(-w) \odot b_{t-1} + e_t
    y_t = \sigma(r_t) \odot (a_{t-1} + \exp(u + k_t) \odot v_t) / (b_{t-1} + \exp(u + k_t))
    """,
)
def rwkv(w, now, past):
    k, v, r = (w[f"W_{name}"] @ now.x for name in "kvr")
    decay, bonus = np.exp(-w.w), np.exp(w.u + k)
    a, b = decay * past("a") + np.exp(k) * v, decay * past("b") + np.exp(k)
    y = sigma(r) * (past("a") + bonus * v) / (past("b") + bonus)
    return {"a": a, "b": b, "y": y}


@cell(
    "Schlag, Irie & Schmidhuber 2021, Linear transformers are secretly fast weight programmers (delta rule)",
    r"""
    k_t = \mathrm{softmax}(W_k x_t), \quad v_t = W_v x_t, \quad q_t = \mathrm{softmax}(W_q x_t)
    \beta_t = \sigma(w_\beta^\top x_t)
    S_t = S_{t-1} (I - \beta_t k_t k_t^\top) + \beta_t v_t k_t^\top
    y_t = S_t q_t
    """,
)
def delta_rule(w, now, past):
    k, v, q = (w[f"W_{name}"] @ now.x for name in "kvq")
    k, q = (np.exp(one) / np.exp(one).sum() for one in (k, q))
    beta = sigma(w.w_beta @ now.x)
    S = past("S") @ (np.eye(len(k)) - beta * np.outer(k, k)) + beta * np.outer(v, k)
    return {"S": S, "beta": beta, "y": S @ q}
