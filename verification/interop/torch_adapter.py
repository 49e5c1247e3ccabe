#!/usr/bin/env python3
"""Answers with PyTorch on the CPU: torch.nn.functional, torch.optim and autograd. The functions are in implementations."""
import streams  # isort: split; first, because frameworks print when they are imported

import torch

import package_adapter
from implementations import torch_piped

if __name__ == "__main__":
    torch.set_num_threads(1)
    package_adapter.main("PyTorch", torch.__version__, torch_piped.functions(), "torch")
