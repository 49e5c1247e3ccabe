"""Times PyTorch's softmax and activations, forward and backward, in double at [2048,512].

Prints one JSON object: {"softmax": milliseconds, ...}, medians. With a third argument, "cpu", it
measures processor time instead of elapsed time.
"""
import json
import statistics
import sys
import time

import torch

threads, repetitions = int(sys.argv[1]), int(sys.argv[2])
clock = time.process_time if sys.argv[3:] == ["cpu"] else time.perf_counter
torch.set_num_threads(threads)
torch.manual_seed(1)
x = torch.randn(2048, 512, dtype=torch.float64, requires_grad=True)
grad_y = torch.randn(2048, 512, dtype=torch.float64)
grad_rows = torch.randn(2048, dtype=torch.float64)
functions = {"softmax": (lambda t: torch.softmax(t, -1), grad_y),
             "log_softmax": (lambda t: torch.log_softmax(t, -1), grad_y),
             "log_sum_exp": (lambda t: torch.logsumexp(t, -1), grad_rows),
             "relu": (torch.relu, grad_y),
             "gelu": (torch.nn.functional.gelu, grad_y),
             "gelu_tanh": (lambda t: torch.nn.functional.gelu(t, approximate="tanh"), grad_y)}
result = {}
for name, (function, gradient) in functions.items():
    times = []
    for _ in range(repetitions + 5):
        start = clock()
        y = function(x)
        gradients = torch.autograd.grad(y, x, gradient)
        times.append(clock() - start)
        del y, gradients
    result[name] = 1e3 * statistics.median(times[5:])
print(json.dumps(result))
