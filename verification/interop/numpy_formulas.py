#!/usr/bin/env python3
"""Every layer in NumPy, from docs/specification/norms.md; two passes, sums as numpy.sum adds.

The functions are in numpy_functions.py, the optimizers in numpy_optimizers.py.
"""
import numpy as np

import numpy_functions
import numpy_optimizers
import protocol

CENTRED = ("layer_norm", "batch_norm", "batch_renorm", "instance_norm", "group_norm")
# Axes of the statistics, of x as [samples, tokens, groups, features of a group].
AXES = {"layer_norm": (2, 3), "rms_norm": (2, 3), "scale_norm": (2, 3), "group_scaling": (3,),
        "instance_norm": (1,), "group_norm": (1, 3)}
BATCH = (0, 1)


class Layer:
    """One step of one case: x, grad_y, gamma, beta and valid as four-dimensional arrays."""

    def __init__(self, case):
        self.case, self.options, self.dtype = case, case.options, case.compute_dtype
        self.groups = int(self.options.get("groups", 1)) if case.op != "power_norm_released" else 1
        self.shape = case["x"].shape
        self.x, self.dy = self.four(case["x"]), self.four(case["grad_y"])
        self.gamma = self.per_feature("gamma", 1)
        self.beta = self.per_feature("beta", 0)
        self.axes = AXES.get(case.op, BATCH)
        valid = np.ones(self.shape[:-1], bool)
        if case.op not in ("layer_norm", "rms_norm", "scale_norm", "group_scaling"):
            valid = case.get("valid", valid)
        self.valid = valid.reshape(self.x.shape[:2] + (1, 1))
        self.outputs = {}

    def four(self, array):
        tokens = self.shape[1] if len(self.shape) == 3 else 1
        return array.astype(self.dtype).reshape(self.shape[0], tokens, self.groups, -1)

    def per_feature(self, name, absent):
        value = self.case.get(name, np.full(1, absent)).astype(self.dtype)
        return value if value.size == 1 else value.reshape(self.groups, -1)

    def state(self, name):
        return self.case[name].astype(self.dtype)

    def option(self, name):
        return self.dtype(self.options[name])

    def over_valid(self, values):
        return self.over_all(np.where(self.valid, values, self.dtype(0)))

    def over_all(self, values):
        return values.sum(self.axes, dtype=self.dtype, keepdims=True)

    def statistics(self):
        """n, mean, squared statistic and rstd of each slice, and x_hat."""
        n = self.over_valid(np.ones_like(self.x))
        divisor = np.ones_like(n) if self.case.op == "scale_norm" else n
        mean = self.over_valid(self.x) / n if self.case.op in CENTRED else np.zeros_like(n)
        centred = self.x - mean
        square = self.over_valid(centred * centred) / divisor
        rstd = 1 / np.sqrt(square + self.option("eps"))
        return divisor, mean, square, rstd, centred * rstd

    def exact_backward(self, n, x_hat, scale):
        """The gradient through the statistics; rows that are padding are none of their inputs."""
        g = self.gamma * self.dy
        through = x_hat * (self.over_all(g * x_hat) / n)
        if self.case.op in CENTRED:
            through = self.over_all(g) / n + through
        self.put("grad_x", (g - np.where(self.valid, through, self.dtype(0))) * scale)

    def put(self, name, values):
        self.outputs[name] = values.reshape(self.shape)

    def put_affine(self, x_hat):
        """y, and the gradients of gamma and beta."""
        self.put("y", self.gamma * x_hat + self.beta)
        for name, gradient in (("gamma", self.dy * x_hat), ("beta", self.dy)):
            if name in self.case.tensors:
                over = tuple(range(4)) if self.case[name].size == 1 else BATCH
                self.outputs["grad_" + name] = gradient.sum(over, dtype=self.dtype).reshape(-1)

    def move(self, name, fresh, decay):
        self.outputs[name] = decay * self.state(name) + (1 - decay) * fresh.reshape(-1)

    def keep_state(self):
        for name in protocol.STATE:
            if name in self.case.tensors:
                self.outputs[name] = self.case[name]

    def plain(self):
        n, mean, square, rstd, x_hat = self.statistics()
        self.put_affine(x_hat)
        self.exact_backward(n, x_hat, rstd)
        op = self.case.op
        if op == "batch_norm":
            bessel = n / (n - 1) if self.options["unbiased_running_variance"] else 1
            self.move("running_mean", mean, self.option("running_decay"))
            self.move("running_variance", square * bessel, self.option("running_decay"))
        if op == "power_norm_v":
            self.move("running_psi2", square, self.option("running_decay"))
        if op in ("layer_norm", "rms_norm"):
            self.outputs["rstd"] = rstd.reshape(self.shape[:-1])
        if op == "layer_norm":
            self.outputs["mean"] = mean.reshape(self.shape[:-1])

    def batch_renorm(self):
        n, mean, square, rstd, z = self.statistics()
        running = np.sqrt(self.state("running_variance") + self.option("eps"))
        r_max, d_max = self.option("r_max"), self.option("d_max")
        r = np.clip(1 / rstd / running, 1 / r_max, r_max)
        d = np.clip((mean - self.state("running_mean")) / running, -d_max, d_max)
        self.put_affine(z * r + d)
        self.exact_backward(n, z, r * rstd)
        self.move("running_mean", mean, self.option("running_decay"))
        self.move("running_variance", square, self.option("running_decay"))

    def inference(self):
        """Running statistics normalise."""
        square = "running_psi2" if "running_psi2" in self.case.tensors else "running_variance"
        rstd = 1 / np.sqrt(self.state(square) + self.option("eps"))
        mean = self.state("running_mean") if "running_mean" in self.case.tensors else self.dtype(0)
        self.put_affine((self.x - mean) * rstd)
        self.put("grad_x", self.gamma * self.dy * rstd)
        self.keep_state()

    def power_norm(self, released):
        """The approximate backward: nu is a state, and grad_x takes the one of the step before."""
        iteration = int(self.case["iterations"].reshape(-1)[0]) + 1
        warmup = int(self.options["warmup_iterations"])
        n, _, square, batch_rstd, _ = self.statistics()
        psi2, old_nu = self.state("running_psi2"), self.state("nu")
        rstd = batch_rstd if iteration <= warmup else 1 / np.sqrt(psi2 + self.option("eps"))
        x_hat = self.x * rstd
        self.put_affine(x_hat)
        if released and self.options["cumulative_warmup_average"] and iteration < warmup:
            k = self.dtype(iteration)
            psi2 = psi2 * ((k - 1) / k) + square.reshape(-1) / k
        alpha = self.option("alpha_forward")
        self.outputs["running_psi2"] = alpha * psi2 + (1 - alpha) * square.reshape(-1)
        self.outputs["iterations"] = self.case["iterations"] + 1

        w = 1 - self.option("alpha_backward")
        scaled = released and self.options["scaled_nu"]
        if released and self.options["pads_in_backward"]:
            self.valid = np.ones_like(self.valid)
            n = self.over_valid(np.ones_like(self.x))
        nu = w * old_nu if scaled else old_nu
        g = self.gamma * self.dy
        t = g - np.where(self.valid, nu * x_hat, self.dtype(0))
        if scaled:
            new_nu = old_nu + (self.over_valid(t * x_hat) / n).reshape(-1)
        else:
            big_gamma = (self.over_valid(x_hat * x_hat) / n).reshape(-1)
            lam = (self.over_valid(g * x_hat) / n).reshape(-1)
            new_nu = nu * (1 - w * big_gamma) + w * lam
        self.outputs["nu"] = new_nu
        by_batch = released and self.options["divide_by_batch_psi"]
        self.put("grad_x", t * (batch_rstd if by_batch else rstd))

    def power_norm_released(self):
        """The released code: group scaling before it."""
        grouped = (*self.x.shape[:2], int(self.options["groups"]), -1)
        if self.options["group_scaling"]:
            x = self.x.reshape(grouped)
            square = np.mean(x * x, axis=3, dtype=self.dtype, keepdims=True)
            rstd = 1 / np.sqrt(square + self.option("group_eps"))
            scaled = x * rstd
            self.x = scaled.reshape(self.x.shape)
        if self.case.training:
            self.power_norm(released=True)
        else:
            self.inference()
        if self.options["group_scaling"]:
            g = self.outputs["grad_x"].reshape(grouped)
            c = np.mean(g * scaled, axis=3, dtype=self.dtype, keepdims=True)
            self.put("grad_x", (g - scaled * c) * rstd)

    def run(self):
        if self.case.op == "power_norm_released":
            self.power_norm_released()
        elif not self.case.training:
            self.inference() if "running_mean" in self.case.tensors or "running_psi2" in \
                self.case.tensors else self.plain()
        elif self.case.op == "batch_renorm":
            self.batch_renorm()
        elif self.case.op == "power_norm":
            self.power_norm(released=False)
        else:
            self.plain()
        for name in self.outputs:
            if name == "y" or name.startswith("grad_"):
                self.outputs[name] = protocol.stored(self.outputs[name], self.case.dtype)
        return self.outputs


def step(case):
    if case.op in numpy_optimizers.OPTIMIZERS:
        return numpy_optimizers.step(case)
    with np.errstate(all="ignore"):
        return numpy_functions.step(case) if case.op in numpy_functions.FUNCTIONS else Layer(case).run()


LAYERS = ("layer_norm", "rms_norm", "group_scaling", "scale_norm", "batch_norm", "batch_renorm",
          "instance_norm", "group_norm", "power_norm_v", "power_norm", "power_norm_released")
if __name__ == "__main__":
    protocol.main("NumPy", np.__version__,
                  protocol.asks((*LAYERS, *numpy_functions.FUNCTIONS),
                                ("float64", "float32", "float16", "bfloat16")) +
                  protocol.asks(numpy_optimizers.OPTIMIZERS, ("float64", "float32")), step)
