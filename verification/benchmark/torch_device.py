"""Times PyTorch's LayerNorm, BatchNorm1d and RMSNorm on a device, forward and backward separately,
and a training step as in torch_training.py. Rows without a format use double.

usage: torch_device.py cuda|cpu SECONDS NAME...

NAME is a row of device_benchmark: norm/<norm>/forward|backward/<rows>x<width>, <norm> layer_norm,
batch_norm, layer_norm_<format> or rms_norm_<format>, or
step/<layers>x<d_model>/<batch>x<length>/<vocabulary>. Rows that this PyTorch does not support are
omitted: RMSNorm before 2.4 and float16 on a processor. Work is submitted in batches, each of which
is then waited for. Prints one JSON object: {"torch": version, "device": name, "ms": {NAME:
milliseconds, ...}}, medians. If a row fails, it prints one sentence and exits with status 1.
"""
import json
import statistics
import sys
import time

import torch

from torch_training import Model

LAYERS = {"layer_norm": torch.nn.LayerNorm, "batch_norm": torch.nn.BatchNorm1d,
          "rms_norm": getattr(torch.nn, "RMSNorm", None)}
FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def layer_and_format(norm):
    """Returns the layer (or None) and the dtype of a row of a norm."""
    name, _, suffix = norm.rpartition("_")
    return (LAYERS[name], FORMATS[suffix]) if suffix in FORMATS else (LAYERS[norm], torch.float64)


def is_there(device, name):
    kind, norm, *_ = name.split("/")
    if kind != "norm":
        return True
    layer, dtype = layer_and_format(norm)
    return layer is not None and (device == "cuda" or dtype != torch.float16)


def pair(text):
    return tuple(map(int, text.split("x")))


def norm(device, name, direction, size):
    """Returns the work of a row, and how often it is submitted before waiting."""
    rows, width = pair(size)
    of, dtype = layer_and_format(name)
    x = torch.randn(rows, width, dtype=dtype, device=device, requires_grad=True)
    layer = of(width).to(device, dtype)
    if direction == "forward":
        return lambda: layer(x), 50
    grad_y, y = torch.randn_like(x), layer(x)
    inputs = [x, *layer.parameters()]
    return lambda: torch.autograd.grad(y, inputs, grad_y, retain_graph=True), 50


def step(device, size, batch, vocabulary):
    (layers, d_model), (sentences, length) = pair(size), pair(batch)
    model = Model(layers, d_model, "relu", int(vocabulary)).double().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    tokens = torch.randint(0, int(vocabulary), (sentences, length), device=device)
    labels = torch.arange(sentences, device=device) % 3

    def once():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens), labels).backward()
        optimizer.step()

    return once, 3


def timed(device, seconds, work, batch):
    """Returns the median time of one call over batches, in milliseconds."""
    times, end = [], None
    while end is None or len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(batch):
            work()
        if device == "cuda":
            torch.cuda.synchronize()
        if end is None:  # the first batch allocates the memory
            end = time.perf_counter() + seconds
        else:
            times.append((time.perf_counter() - start) / batch)
    return 1e3 * statistics.median(times)


def milliseconds(device, seconds, name):
    kind, *parts = name.split("/")
    torch.manual_seed(1)
    return timed(device, seconds, *{"norm": norm, "step": step}[kind](device, *parts))


def measured(device, seconds, name):
    """Times a row. If it fails, for example for lack of memory, exits with one sentence that names
    it."""
    try:
        return milliseconds(device, seconds, name)
    except (RuntimeError, MemoryError) as error:
        said = str(error).strip() or type(error).__name__
        sys.exit(f"torch_device.py: {name}: {said.splitlines()[0]}")


if __name__ == "__main__":
    device, seconds = sys.argv[1], float(sys.argv[2])
    ms = {name: measured(device, seconds, name) for name in sys.argv[3:] if is_there(device, name)}
    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    print(json.dumps({"torch": torch.__version__, "device": name, "ms": ms}))
