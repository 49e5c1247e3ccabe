#!/usr/bin/env python3
"""MLX 0.32 on the CPU, nn.log_softmax of an axis with one element: the process ends with a segmentation fault, forward alone.
"""
import subprocess
import sys

for shape in ((3, 2), (3, 1)):
    program = f"import mlx.core as mx, mlx.nn as nn; print(nn.log_softmax(mx.ones({shape}), axis=-1))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    print(f"nn.log_softmax(mx.ones({shape}), axis=-1)\n  got   status {done.returncode} {done.stdout.split()}\n"
          f"  exact {[-0.69314718055994530941723212145818, 0.0][shape[1] == 1]} in every element")
