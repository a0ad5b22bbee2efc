"""Recurrent nets without gates, after their papers and manuals."""

from __future__ import annotations

import numpy as np
from printed import cell, relu, sigma


@cell(
    "PyTorch, documentation of nn.RNN, with rows for vectors",
    r"h_t = \tanh(x_t W_{ih}^T + b_{ih} + h_{t-1}W_{hh}^T + b_{hh})",
)
def rnn(w, now, past):
    return {"h": np.tanh(w.W_ih @ now.x + w.b_ih + w.W_hh @ past("h") + w.b_hh)}


@cell(
    "Elman 1990, Finding structure in time",
    r"""
    h_t = \sigma_h(W_h x_t + U_h h_{t-1} + b_h) \\
    y_t = \sigma_y(W_y h_t + b_y)
    """,
)
def elman(w, now, past):
    h = sigma(w.W_h @ now.x + w.U_h @ past("h") + w.b_h)
    return {"h": h, "y": sigma(w.W_y @ h + w.b_y)}


@cell(
    "Jordan 1986, Attractor dynamics and parallelism, with a decaying context",
    """
    s_t = alpha s_{t-1} + y_{t-1}
    h_t = sigma(W_h x_t + U_h s_t + b_h)
    y_t = sigma(W_y h_t + b_y)
    """,
)
def jordan(w, now, past):
    s = w.alpha * past("s") + past("y")
    h = sigma(w.W_h @ now.x + w.U_h @ s + w.b_h)
    return {"s": s, "h": h, "y": sigma(w.W_y @ h + w.b_y)}


@cell(
    "Williams & Zipser 1989, A learning algorithm for continually running fully recurrent neural networks",
    """
    s_k(t+1) = sum_l w_{kl} y_l(t) + sum_j v_{kj} x_j(t)
    y_k(t+1) = f(s_k(t+1))
    """,
)
def fully_recurrent(w, now, past):
    s = w.w @ past("y") + w.v @ past("x")
    return {"s": s, "y": np.tanh(s)}


@cell(
    "Frasconi, Gori & Soda 1992, Local feedback multilayered networks",
    r"""
    a_i(t) = u_i a_i(t-1) + sum_j w_{ij} x_j(t)
    y_i(t) = f(a_i(t))
    """,
)
def local_feedback(w, now, past):
    a = w.u * past("a") + w.w @ now.x
    return {"a": a, "y": np.tanh(a)}


@cell(
    "Li et al. 2018, Independently recurrent neural network (IndRNN)",
    r"\mathbf{h}_t = \mathrm{relu}(\mathbf{W}\mathbf{x}_t + \mathbf{u}\odot\mathbf{h}_{t-1} + \mathbf{b})",
)
def indrnn(w, now, past):
    return {"h": relu(w.W @ now.x + w.u * past("h") + w.b)}


@cell(
    "Jaeger et al. 2007, Optimization and applications of echo state networks with leaky-integrator neurons",
    r"""
    \alpha \in \mathbb{R}, \rho \in \mathbb{R}
    x(t+1) = (1 - \alpha)\, x(t) + f(\rho W x(t) + W^{in} u(t+1)) \\
    y(t) = W^{out} [x(t); u(t)]
    """,
)
def leaky_echo_state(w, now, past):
    x = (1 - w.alpha) * past("x") + np.tanh(w.rho * w.W @ past("x") + w.W_in @ now.u)
    return {"x": x, "y": w.W_out_x @ x + w.W_out_u @ now.u}


@cell(
    "Rusch & Mishra 2021, Coupled oscillatory recurrent neural network (coRNN)",
    r"""
    y_t = y_{t-1} + \Delta z_t
    z_t = z_{t-1} + \Delta \sigma(W y_{t-1} + Z z_{t-1} + V u_t + b) - \Delta \gamma y_{t-1} - \Delta \epsilon z_{t-1}
    \Delta \in \mathbb{R}
    """,
)
def cornn(w, now, past):
    y, z = past("y"), past("z")
    drive = sigma(w.W @ y + w.Z @ z + w.V @ now.u + w.b)
    z = z + w.Delta * drive - w.Delta * w.gamma * y - w.Delta * w.epsilon * z
    return {"z": z, "y": y + w.Delta * z}


@cell(
    "Chang et al. 2019, AntisymmetricRNN",
    r"h_t = h_{t-1} + \epsilon \tanh((W_h - W_h^T) h_{t-1} - \gamma h_{t-1} + V_h x_t + b_h)",
)
def antisymmetric(w, now, past):
    h = past("h")
    turned = w.W_h - w.W_h.T - w.gamma * np.eye(len(h))
    return {"h": h + w.epsilon * np.tanh(turned @ h + w.V_h @ now.x + w.b_h)}


@cell(
    "Sutskever, Martens & Hinton 2011, Generating text with recurrent neural networks (multiplicative RNN)",
    r"""
    f_t = diag(W_{fx} x_t) W_{fh} h_{t-1}
    h_t = tanh(W_{hf} f_t + W_{hx} x_t)
    o_t = W_{oh} h_t + b_o
    """,
)
def multiplicative(w, now, past):
    f = np.diag(w.W_fx @ now.x) @ w.W_fh @ past("h")
    h = np.tanh(w.W_hf @ f + w.W_hx @ now.x)
    return {"f": f, "h": h, "o": w.W_oh @ h + w.b_o}


@cell(
    "Giles et al. 1992, Learning and extracting finite state automata with second-order recurrent networks",
    r"s_i(t+1) = g(sum_{j,k} W_{ijk} s_j(t) x_k(t))",
)
def second_order(w, now, past):
    return {"s": np.tanh(np.einsum("ijk,j,k->i", w.W, past("s"), past("x")))}


@cell(
    "Lin et al. 1996, Learning long-term dependencies in NARX recurrent neural networks",
    "y_t = f(A_1 x_t + A_2 x_{t-1} + B_1 y_{t-1} + B_2 y_{t-2} + b)",
)
def narx(w, now, past):
    inputs = w.A_1 @ now.x + w.A_2 @ past("x")
    return {"y": np.tanh(inputs + w.B_1 @ past("y") + w.B_2 @ past("y", 2) + w.b)}


@cell(
    "Siegelmann, Horne & Giles 1997, Computational capabilities of recurrent NARX neural networks",
    r"y_t = \sigma\left(\sum_{k=0}^{2} A_k x_{t-k} + \sum_{k=1}^{2} B_k y_{t-k} + b\right)",
)
def narx_sums(w, now, past):
    inputs = w.A_0 @ now.x + w.A_1 @ past("x") + w.A_2 @ past("x", 2)
    return {"y": sigma(inputs + w.B_1 @ past("y") + w.B_2 @ past("y", 2) + w.b)}


@cell(
    "Koutnik et al. 2014, A clockwork RNN, with the clock as a mask",
    r"""
    y^{(t)} = m^{(t)} \odot f(W_H y^{(t-1)} + W_I x^{(t)}) + (1 - m^{(t)}) \odot y^{(t-1)} \\
    o^{(t)} = f(W_O y^{(t)})
    """,
)
def clockwork(w, now, past):
    new = np.tanh(w.W_H @ past("y") + w.W_I @ now.x)
    y = now.m * new + (1 - now.m) * past("y")
    return {"y": y, "o": np.tanh(w.W_O @ y)}


@cell(
    "Mikolov et al. 2014, Learning longer memory in recurrent neural networks (SCRN)",
    r"""
    s_t = (1 - \alpha) B x_t + \alpha s_{t-1} \\
    h_t = \sigma(P s_t + A x_t + R h_{t-1}) \\
    y_t = f(U h_t + V s_t)
    """,
)
def scrn(w, now, past):
    s = (1 - w.alpha) * w.B @ now.x + w.alpha * past("s")
    h = sigma(w.P @ s + w.A @ now.x + w.R @ past("h"))
    return {"s": s, "h": h, "y": np.tanh(w.U @ h + w.V @ s)}


@cell(
    "Voelker, Kajic & Eliasmith 2019, Legendre memory units",
    r"""
    u_t = e_x^T x_t + e_h^T h_{t-1} + e_m^T m_{t-1}
    m_t = A m_{t-1} + b u_t
    h_t = tanh(W_x x_t + W_h h_{t-1} + W_m m_t)
    """,
)
def lmu(w, now, past):
    u = w.e_x @ now.x + w.e_h @ past("h") + w.e_m @ past("m")
    m = w.A @ past("m") + w.b * u
    return {"u": u, "m": m, "h": np.tanh(w.W_x @ now.x + w.W_h @ past("h") + w.W_m @ m)}


@cell(
    "Orvieto et al. 2023, Resurrecting recurrent neural networks for long sequences (LRU, real)",
    r"""
    \lambda \in \mathbb{R}^N, \gamma \in \mathbb{R}^N, d \in \mathbb{R}^H
    x_t = \lambda \odot x_{t-1} + \gamma \odot (B u_t)
    y_t = C x_t + d \odot u_t
    """,
)
def lru(w, now, past):
    x = w["lambda"] * past("x") + w.gamma * (w.B @ now.u)
    return {"x": x, "y": w.C @ x + w.d * now.u}


@cell(
    "Hasani et al. 2021, Liquid time-constant networks, an explicit step of Euler's",
    r"""
    f_t = \sigma(W x_t + U h_{t-1} + b)
    h_t = h_{t-1} + \Delta (-h_{t-1} / \tau + f_t * (a - h_{t-1}))
    \Delta \in \mathbb{R}, \tau \in \mathbb{R}^n
    """,
)
def liquid(w, now, past):
    h = past("h")
    f = sigma(w.W @ now.x + w.U @ h + w.b)
    return {"f": f, "h": h + w.Delta * (-h / w.tau + f * (w.a - h))}


@cell(
    "a delay line, as in Lang, Waibel & Hinton 1990, A time-delay neural network architecture",
    """
    d_t = x_{t-1}
    e_t = d_{t-1}
    y_t = f(W_0 x_t + W_1 d_t + W_2 e_t + b)
    """,
)
def delay_line(w, now, past):
    d, e = past("x"), past("d")
    return {"d": d, "e": e, "y": np.tanh(w.W_0 @ now.x + w.W_1 @ d + w.W_2 @ e + w.b)}


@cell(
    "Ramsauer et al. 2020, Hopfield networks is all you need, with an input",
    "xi_t = X^T softmax(beta X xi_{t-1}) + W x_t",
)
def hopfield(w, now, past):
    scores = np.exp(w.beta * w.X @ past("xi"))
    return {"xi": w.X.T @ (scores / scores.sum()) + w.W @ now.x}


@cell(
    "Ba, Kiros & Hinton 2016, Layer normalization",
    r"""
    a^t = W_{hh} h^{t-1} + W_{xh} x^t \\
    \mu^t = \frac{1}{H} \sum_{i=1}^{H} a_i^t \\
    s^t = \sqrt{\frac{1}{H} \sum_{i=1}^{H} (a_i^t - \mu^t)^2 + \epsilon} \\
    h^t = f(g \odot (a^t - \mu^t) / s^t + b)
    """,
)
def layer_norm(w, now, past):
    a = w.W_hh @ past("h") + w.W_xh @ now.x
    s = np.sqrt(np.mean((a - a.mean()) ** 2) + w.epsilon)
    return {"a": a, "mu": a.mean(), "s": s, "h": np.tanh(w.g * (a - a.mean()) / s + w.b)}
