"""Times PyTorch's LayerNorm and BatchNorm1d, forward and backward, in double at [2048,512].

Prints one JSON object: {"layer_norm": milliseconds, "batch_norm": milliseconds}, medians.
"""
import json
import statistics
import sys
import time

import torch

threads, repetitions = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(threads)
torch.manual_seed(1)
x = torch.randn(2048, 512, dtype=torch.float64, requires_grad=True)
grad_y = torch.randn(2048, 512, dtype=torch.float64)
layers = {"layer_norm": torch.nn.LayerNorm(512).double(),
          "batch_norm": torch.nn.BatchNorm1d(512).double()}
result = {}
for name, layer in layers.items():
    inputs = [x, *layer.parameters()]
    times = []
    for _ in range(repetitions + 10):
        start = time.perf_counter()
        y = layer(x)
        gradients = torch.autograd.grad(y, inputs, grad_y)
        times.append(time.perf_counter() - start)
        del y, gradients
    result[name] = 1e3 * statistics.median(times[10:])
print(json.dumps(result))
