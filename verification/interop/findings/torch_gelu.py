#!/usr/bin/env python3
"""PyTorch 2.15, F.gelu in float32: it is that of oneDNN, whose erf is a polynomial, up to nine units of 2^-24 off, so that
0.5 x (1 + erf(x / sqrt 2)) loses for x from -4 to -2 what the last bits of erf near -1 hold: 7.4e-7 off, and 2.6e-7 without
oneDNN (torch.backends.mkldnn.flags(enabled=False)), which passes, as PyTorch 1.13 does.
"""
import torch
from mpmath import erf, mpf, sqrt

from truth import print_error, worst_index

x = torch.linspace(-4, -2, 512)
exact = [mpf(v.item()) / 2 * (1 + erf(mpf(v.item()) / sqrt(2))) for v in x]
for enabled in (True, False):
    with torch.backends.mkldnn.flags(enabled=enabled):
        y = torch.nn.functional.gelu(x)
    at = worst_index(y, exact)
    print_error(f"F.gelu({x[at].item()!r}), oneDNN {'on' if enabled else 'off'}", y[at], exact[at], "float32")
