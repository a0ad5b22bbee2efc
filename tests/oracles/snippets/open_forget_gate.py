import torch


def open_forget_gates(layer, bias=1.0):
    """Set the forget gates' bias of a torch.nn.LSTM: the sum of its two."""
    units = layer.hidden_size
    with torch.no_grad():
        for name, weight in layer.named_parameters():
            if name.startswith("bias_ih"):
                weight[units : 2 * units] = bias
            elif name.startswith("bias_hh"):
                weight[units : 2 * units] = 0.0
