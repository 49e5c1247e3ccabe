"""torch.nn.functional.cross_entropy, and autograd: in float32 where the case has 16 bits, as under autocast."""
import torch
import torch.nn.functional as F

import protocol

TAKES = ("logits", "targets", "class_weights", "valid", "label_smoothing")
IGNORED = -100


def step(case):
    kind = torch.float64 if case.dtype == "float64" else torch.float32
    logits = torch.from_numpy(case["logits"].copy()).to(kind).requires_grad_()
    targets = torch.from_numpy(case["targets"].copy())
    if case.masked:
        targets = targets.masked_fill(torch.from_numpy(~case["valid"]), IGNORED)
    weights = case.get("class_weights")
    loss = F.cross_entropy(logits, targets, None if weights is None else torch.from_numpy(weights.copy()).to(kind),
                           ignore_index=IGNORED, label_smoothing=case.options["label_smoothing"])
    loss.backward()
    return {"loss": loss.detach().reshape(1).numpy(), "grad_logits": protocol.stored(logits.grad.numpy(), case.dtype)}
