#!/usr/bin/env python3
"""PaddlePaddle 3.3 on the CPU, F.group_norm. Without a weight, grad_x lacks the mean of the gradients. With a weight of 0
grad_gamma is 0: the sums of the backward are divided by the weight again. The variance is E[x^2] - E[x]^2: with a mean of 1e4
standard deviations nothing of y is left.
"""
import numpy as np
import paddle
import paddle.nn.functional as F
from mpmath import mpf, sqrt

from truth import layer_norm, print_error, worst_index

x = np.array([1.0, 2.0, 4.0, 8.0]).reshape(1, 4, 1)
grad_y = np.array([1.0, 0.0, 0.0, 0.0])
x_hat = layer_norm(x.ravel(), 1e-5)
mean = sum(map(mpf, x.ravel())) / 4
rstd = 1 / sqrt(sum((mpf(float(v)) - mean) ** 2 for v in x.ravel()) / 4 + mpf(1e-5))
exact = [rstd * (mpf(g) - mpf(1) / 4 - h * x_hat[0] / 4) for g, h in zip(grad_y, x_hat)]
for name, weight in (("no weight", None), ("weight 1, 1, 1, 1", np.ones(4)), ("weight 0, 1, 1, 1", np.array([0.0, 1, 1, 1]))):
    leaf = paddle.to_tensor(x, stop_gradient=False)
    gamma = None if weight is None else paddle.to_tensor(weight, stop_gradient=False)
    F.group_norm(leaf, 1, 1e-5, gamma).backward(paddle.to_tensor(grad_y.reshape(1, 4, 1)))
    if weight is None or weight[0]:
        at = worst_index(leaf.grad.numpy().ravel(), exact)
        print_error(f"{name}: grad_x[{at}]", leaf.grad.numpy().ravel()[at], exact[at], "float64")
    if weight is not None:
        print_error(f"{name}: grad_gamma[0]", gamma.grad.numpy()[0], x_hat[0], "float64")
x = (np.arange(16, dtype=np.float32) / 4 + 10000).reshape(1, 16, 1)
y, exact = F.group_norm(paddle.to_tensor(x), 1, 1e-5).numpy().ravel(), layer_norm(x.ravel(), 1e-5)
at = worst_index(y, exact)
print_error(f"y[{at}] of 10000, 10000.25, ...", y[at], exact[at], "float32")
