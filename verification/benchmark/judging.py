"""Measures how long normproof.judge and the gate take: a large tensor judged whole, some rows of a larger one, and the quick
tier with wrong outputs. Prints a table beside the time of PyTorch for the same layer_norm, forward and backward."""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

# The measurements by name: the shape of x, and the arguments of judge.
SIZES = {"10^6 elements, whole": ((1000, 1000), {}),
         "10^7 elements, rows=64": ((2441, 4096), {"rows": 64, "seed": 1}),
         "10^8 elements, rows=64": ((24414, 4096), {"rows": 64, "seed": 1})}
QUICK = {"quick tier, all outputs wrong, verdict": True, "quick tier, all outputs wrong, with diagnosis": False}
ROWS_AT_ONCE = 64


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(call):
    """Returns the wall seconds and the processor seconds of a call."""
    wall, processor = time.monotonic(), processor_seconds()
    call()
    return time.monotonic() - wall, processor_seconds() - processor


def layer_norm(x, gamma, beta, eps, grad_y):
    """A correct layer_norm with its gradients, which needs little memory."""
    import numpy as np

    y, grad_x = np.empty_like(x), np.empty_like(x)
    grad_gamma, grad_beta = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for at in range(0, len(x), ROWS_AT_ONCE):
        part = slice(at, at + ROWS_AT_ONCE)
        d, dy = x[part].astype(np.float64), grad_y[part].astype(np.float64)
        d -= d.mean(-1, keepdims=True)
        r = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + eps)
        x_hat, g = d * r, dy * gamma
        y[part] = x_hat * gamma + beta
        grad_gamma += (dy * x_hat).sum(0)
        grad_beta += dy.sum(0)
        grad_x[part] = (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True)) * r
    return {"y": y, "grad_x": grad_x, "grad_gamma": grad_gamma.astype(x.dtype), "grad_beta": grad_beta.astype(x.dtype)}


def measure_judge(name):
    """Returns the seconds of judge beyond those of the function, and of PyTorch for the same tensors."""
    import numpy as np
    import torch

    import normproof

    shape, arguments = SIZES[name]
    rng = np.random.default_rng(0)
    x, grad_y = rng.standard_normal((2, *shape), dtype=np.float32)
    given = {"x": x, "grad_y": grad_y, "gamma": rng.random(shape[1], dtype=np.float32),
             "beta": rng.random(shape[1], dtype=np.float32), "eps": 1e-5}
    own = timed(lambda: layer_norm(**given))
    reports = []
    whole = timed(lambda: reports.append(normproof.judge(layer_norm, "layer_norm", **given, **arguments)))
    if not reports[0]:
        sys.exit(f"judging: a correct layer_norm fails: {reports[0]}")
    tensors = {key: torch.from_numpy(value).requires_grad_() for key, value in given.items() if key not in ("eps", "grad_y")}

    def in_torch():
        y = torch.nn.functional.layer_norm(tensors["x"], shape[1:], tensors["gamma"], tensors["beta"], given["eps"])
        y.backward(torch.from_numpy(grad_y))
    in_torch()
    return {"wall": whole[0] - own[0], "processor": whole[1] - own[1], "torch": timed(in_torch)[0]}


def measure_quick(skip_diagnosis):
    """Returns the seconds of the gate for the quick tier if every output is far off, in an irregular way."""
    import numpy as np

    from normproof.corpus import Corpus
    from normproof.stored import Stored

    rng = np.random.default_rng(0)
    wall = processor = 0.0
    with Corpus(os.environ["NORMPROOF_CORPUS"], "quick/*") as corpus:
        corpus.set("skip_diagnosis", "1" if skip_diagnosis else "")
        for index in range(len(corpus)):
            corpus.select(index)
            outputs = {name: Stored("float64", np.ascontiguousarray(1.3 * output.value + rng.standard_normal(output.shape)))
                       for name, output in corpus.expect().items() if output.required and output.dtype.startswith("float")}
            corpus.select(index)  # forgets the bounds, which are a part of the verdict

            def judge(outputs=outputs):
                for name, stored in outputs.items():
                    if not stored.dtype.startswith("float8"):
                        corpus.answer(name, stored)
                corpus.judge()
            taken = timed(judge)
            wall, processor = wall + taken[0], processor + taken[1]
    return {"wall": wall, "processor": processor}


def run(python, rounds, environment):
    """Prints the table. Each measurement has a process of its own; the median of the rounds is printed."""
    print(f"median of {rounds} rounds\n\n| what | seconds beyond the function's own | processor seconds | times PyTorch |\n"
          "|---|---|---|---|", flush=True)
    for name in (*SIZES, *QUICK):
        samples = []
        for _ in range(rounds):
            done = subprocess.run([python, __file__, name], env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"run: judging {name} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
            samples.append(json.loads(done.stdout))
        wall, processor = (statistics.median(sample[key] for sample in samples) for key in ("wall", "processor"))
        ratio = f"{statistics.median(sample['wall'] / sample['torch'] for sample in samples):.0f}" if name in SIZES else ""
        print(f"| {name} | {wall:.1f} | {processor:.1f} | {ratio} |", flush=True)


if __name__ == "__main__":
    what = sys.argv[1]
    print(json.dumps(measure_judge(what) if what in SIZES else measure_quick(QUICK[what])))
