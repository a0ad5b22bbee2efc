"""Cells as people paste them: all of a page's marks, environments, columns in brackets."""

from __future__ import annotations

import numpy as np
from printed import cell, sigma


@cell(
    "Wikipedia, Long short-term memory, as its source gives it",
    r"""{\displaystyle {\begin{aligned}f_{t}&=\sigma _{g}(W_{f}x_{t}+U_{f}h_{t-1}+b_{f})\\i_{t}&=\sigma _{g}(W_{i}x_{t}+
    U_{i}h_{t-1}+b_{i})\\o_{t}&=\sigma _{g}(W_{o}x_{t}+U_{o}h_{t-1}+b_{o})\\{\tilde {c}}_{t}&=\sigma _{c}(W_{c}x_{t}+
    U_{c}h_{t-1}+b_{c})\\c_{t}&=f_{t}\odot c_{t-1}+i_{t}\odot {\tilde {c}}_{t}\\h_{t}&=o_{t}\odot \sigma _{h}(c_{t})
    \end{aligned}}}""",
)
def lstm_encyclopedia(w, now, past):
    f, i, o, new = (sigma(w[f"W_{name}"] @ now.x + w[f"U_{name}"] @ past("h") + w[f"b_{name}"]) for name in "fioc")
    c = f * past("c") + i * new
    return {"f": f, "i": i, "o": o, "c_tilde": new, "c": c, "h": o * sigma(c)}


@cell(
    "one gate and a memory, with vectors stacked in matrix environments as papers set them",
    r"""
    \begin{align}
    \mathbf{i}_t &= \sigma\left(\mathbf{W}_i \begin{bmatrix} \mathbf{x}_t \\ \mathbf{h}_{t-1} \end{bmatrix}
    + \mathbf{b}_i\right), \\
    \mathbf{c}_t &= (1 - \mathbf{i}_t) \odot \mathbf{c}_{t-1} + \mathbf{i}_t \odot \tanh(\mathbf{W}_c
    \begin{pmatrix} \mathbf{x}_t \\ \mathbf{h}_{t-1} \end{pmatrix}), \\
    \mathbf{h}_t &= \tanh(\mathbf{c}_t).
    \end{align}
    """,
)
def coupled(w, now, past):
    i = sigma(w.W_i_x @ now.x + w.W_i_h @ past("h") + w.b_i)
    c = (1 - i) * past("c") + i * np.tanh(w.W_c_x @ now.x + w.W_c_h @ past("h"))
    return {"i": i, "c": c, "h": np.tanh(c)}
