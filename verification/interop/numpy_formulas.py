#!/usr/bin/env python3
"""Answers with NumPy: every norm layer, from docs/specification/norms.md, in two passes and with sums by numpy.sum.

Functions are in numpy_functions.py, optimizers in numpy_optimizers.py, and whole Transformers in
numpy_transformers.py.
"""
import typing

import numpy as np

import numpy_attention
import numpy_functions
import numpy_optimizers
import numpy_scaled
import numpy_transformers
import protocol

BATCH = (0, 1)


class Formula(typing.NamedTuple):
    """How a layer normalizes.

    axes       the axes of the statistics, of x as [samples, tokens, groups, features of a group]
    centered   whether the mean is subtracted
    mean       whether the mean of the squares divides; if not, their sum does
    returns    the statistics among the outputs
    training   the method of Layer that computes a training step
    """
    axes: tuple
    centered: bool = False
    mean: bool = True
    returns: tuple = ()
    training: str = "plain"


FORMULAS = {
    "layer_norm": Formula((2, 3), centered=True, returns=("rstd", "mean")),
    "rms_norm": Formula((2, 3), returns=("rstd",)),
    "group_scaling": Formula((3,)),
    "scale_norm": Formula((2, 3), mean=False),
    "batch_norm": Formula(BATCH, centered=True),
    "batch_renorm": Formula(BATCH, centered=True, training="batch_renorm"),
    "instance_norm": Formula((1,), centered=True),
    "group_norm": Formula((1, 3), centered=True),
    "power_norm_v": Formula(BATCH),
    "power_norm": Formula(BATCH, training="power_norm"),
    "power_norm_released": Formula(BATCH, training="power_norm"),
    "dyt": Formula((3,), training="dyt"),
}


AFFINE, STATISTICS = (*protocol.AFFINE, "valid"), protocol.STATISTICS
POWER_NORM = (*AFFINE, "eps", "alpha_*", "warmup_iterations", "running_psi2", "nu", "iterations")
# The inputs and options that each operation reads. A mask may be ignored if the statistics are those of a row.
TAKES = {
    **dict.fromkeys(("layer_norm", "rms_norm"), (*AFFINE, "eps", "zero_centred_gamma")),
    **dict.fromkeys(("scale_norm", "instance_norm"), (*AFFINE, "eps")),
    "group_norm": (*AFFINE, "eps", "groups", "layout"),
    "group_scaling": (*AFFINE, "eps", "groups"),
    "batch_norm": (*AFFINE, *STATISTICS, "eps", "unbiased_running_variance", "layout"),
    "batch_renorm": (*AFFINE, *STATISTICS, "eps", "[rd]_max"),
    "power_norm_v": (*AFFINE, "eps", "running_psi2", "running_decay"),
    "power_norm": POWER_NORM,
    "power_norm_released": (*POWER_NORM, "groups", "group_eps", "group_scaling", "divide_by_batch_psi",
                            "cumulative_warmup_average", "pads_in_backward", "scaled_nu"),
    "dyt": (*AFFINE, "alpha", "alpha0"),
    **dict.fromkeys(numpy_functions.FUNCTIONS, ("valid",)),
    **dict.fromkeys(numpy_functions.GATED, ("gate",)),
    "swiglu": ("gate", "limit", "alpha", "beta"),
    "attention": ("q", "k", "v", "bias", "sinks", "valid", "scale", "causal", "mask_corner", "window_left", "window_right",
                  "soft_cap", "log_sum_exp_base"),
    **dict.fromkeys(numpy_functions.ADDED, (*protocol.ADD_NORM_TAKES, "zero_centred_gamma")),
    "rope": ("cos", "sin", "interleaved"),
    "merge_attention_states": ("o", "log_sum_exp", "log_sum_exp_base"),
    "l2_norm": ("eps", "eps_placement"),
    "gated_rms_norm": ("gate", *AFFINE, "eps", "groups", "gate_position", "gate_activation"),
    "softplus": ("beta", "threshold"),
    "quantize": (),
    "dequantize": (),
    "cross_entropy": ("logits", "targets", "class_weights", "valid", "label_smoothing", "reduction", "z_loss", "soft_cap"),
    **dict.fromkeys((*numpy_transformers.OPERATIONS, *numpy_transformers.BESIDE_THE_PIPE), ("*",)),
    **protocol.OPTIMIZER_TAKES,
}
TAKES.update({op: (*TAKES[op], "*_scale", "*_scale_*") for op in numpy_scaled.OPERATIONS})


class Layer:
    """One step of a norm layer. x, grad_y, gamma, beta and valid have four axes: samples, tokens, groups, features."""

    def __init__(self, case):
        self.case, self.options, self.dtype = case, case.options, case.compute_dtype
        self.formula = FORMULAS[case.op]
        self.scales_groups = self.options.get("group_scaling", False)  # before the statistics
        self.groups = 1 if "group_scaling" in self.options else int(self.options.get("groups", 1))
        self.channels_first = self.options.get("layout") == "channels_first"
        self.shape = self.channels_last(case["x"]).shape
        self.x, self.dy = self.with_groups(case["x"]), self.with_groups(case["grad_y"])
        self.gamma = self.per_feature("gamma", 1)
        if self.options.get("zero_centred_gamma") and "gamma" in case.tensors:
            self.gamma = 1 + self.gamma
        self.beta = self.per_feature("beta", 0)
        self.axes = self.formula.axes
        valid = np.ones(self.shape[:-1], bool)
        if min(self.axes) < 2:
            valid = case.get("valid", valid)
        self.valid = valid.reshape(self.x.shape[:2] + (1, 1))
        self.outputs = {}

    def channels_last(self, array):
        return np.moveaxis(array, 1, -1) if self.channels_first else array

    def with_groups(self, array):
        tokens = int(np.prod(self.shape[1:-1]))
        return self.channels_last(array).astype(self.dtype).reshape(self.shape[0], tokens, self.groups, -1)

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
        """Returns n, the mean, the variance or mean square, and rstd of each slice, and x_hat."""
        n = self.over_valid(np.ones_like(self.x))
        divisor = n if self.formula.mean else np.ones_like(n)
        mean = self.over_valid(self.x) / n if self.formula.centered else np.zeros_like(n)
        centered = self.x - mean
        square = self.over_valid(centered * centered) / divisor
        rstd = 1 / np.sqrt(square + self.option("eps"))
        return divisor, mean, square, rstd, centered * rstd

    def exact_backward(self, n, x_hat, scale):
        """Computes grad_x through the statistics, to which rows of padding do not contribute."""
        g = self.gamma * self.dy
        through = x_hat * (self.over_all(g * x_hat) / n)
        if self.formula.centered:
            through = self.over_all(g) / n + through
        self.store("grad_x", (g - np.where(self.valid, through, self.dtype(0))) * scale)

    def store(self, name, values):
        values = values.reshape(self.shape)
        self.outputs[name] = np.moveaxis(values, -1, 1) if self.channels_first else values

    def store_affine(self, x_hat):
        """Computes y, and the gradients of gamma and beta."""
        self.store("y", self.gamma * x_hat + self.beta)
        for name, gradient in (("gamma", self.dy * x_hat), ("beta", self.dy)):
            if name in self.case.tensors:
                over = tuple(range(4)) if self.case[name].size == 1 else BATCH
                self.outputs["grad_" + name] = gradient.sum(over, dtype=self.dtype).reshape(-1)

    def update_state(self, name, fresh, decay):
        self.outputs[name] = decay * self.state(name) + (1 - decay) * fresh.reshape(-1)

    def keep_state(self):
        for name in protocol.STATE:
            if name in self.case.tensors:
                self.outputs[name] = self.case[name]

    def plain(self):
        n, mean, square, rstd, x_hat = self.statistics()
        self.store_affine(x_hat)
        self.exact_backward(n, x_hat, rstd)
        if "running_mean" in self.case.tensors:
            bessel = n / (n - 1) if self.options["unbiased_running_variance"] else 1
            self.update_state("running_mean", mean, self.option("running_decay"))
            self.update_state("running_variance", square * bessel, self.option("running_decay"))
        if "running_psi2" in self.case.tensors:
            self.update_state("running_psi2", square, self.option("running_decay"))
        for name, values in (("rstd", rstd), ("mean", mean)):
            if name in self.formula.returns:
                self.outputs[name] = values.reshape(self.shape[:-1])

    def batch_renorm(self):
        n, mean, square, rstd, z = self.statistics()
        running = np.sqrt(self.state("running_variance") + self.option("eps"))
        r_max, d_max = self.option("r_max"), self.option("d_max")
        r = np.clip(1 / rstd / running, 1 / r_max, r_max)
        d = np.clip((mean - self.state("running_mean")) / running, -d_max, d_max)
        self.store_affine(z * r + d)
        self.exact_backward(n, z, r * rstd)
        self.update_state("running_mean", mean, self.option("running_decay"))
        self.update_state("running_variance", square, self.option("running_decay"))

    def inference(self):
        """Normalizes by the running statistics."""
        square = "running_psi2" if "running_psi2" in self.case.tensors else "running_variance"
        rstd = 1 / np.sqrt(self.state(square) + self.option("eps"))
        mean = self.state("running_mean") if "running_mean" in self.case.tensors else self.dtype(0)
        self.store_affine((self.x - mean) * rstd)
        self.store("grad_x", self.gamma * self.dy * rstd)
        self.keep_state()

    def power_norm(self):
        """Computes the approximate backward: nu is a state, and grad_x uses that of the step before.

        An option that the paper's layer does not have is off.
        """
        iteration = int(self.case["iterations"].reshape(-1)[0]) + 1
        warmup = int(self.options["warmup_iterations"])
        n, _, square, batch_rstd, _ = self.statistics()
        psi2, old_nu = self.state("running_psi2"), self.state("nu")
        rstd = batch_rstd if iteration <= warmup else 1 / np.sqrt(psi2 + self.option("eps"))
        x_hat = self.x * rstd
        self.store_affine(x_hat)
        if self.options.get("cumulative_warmup_average") and iteration < warmup:
            k = self.dtype(iteration)
            psi2 = psi2 * ((k - 1) / k) + square.reshape(-1) / k
        alpha = self.option("alpha_forward")
        self.outputs["running_psi2"] = alpha * psi2 + (1 - alpha) * square.reshape(-1)
        self.outputs["iterations"] = self.case["iterations"] + 1

        w = 1 - self.option("alpha_backward")
        scaled = self.options.get("scaled_nu")
        if self.options.get("pads_in_backward"):
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
        by_batch = self.options.get("divide_by_batch_psi")
        self.store("grad_x", t * (batch_rstd if by_batch else rstd))

    def dyt(self):
        """Uses tanh(alpha x), element by element, in place of x_hat. alpha is one trained number."""
        alpha = self.case.get("alpha", np.full(1, self.options["alpha0"])).astype(self.dtype)
        t = np.tanh(alpha * self.x)
        self.store_affine(t)
        grad_u = self.gamma * self.dy * (1 - t * t)
        self.store("grad_x", grad_u * alpha)
        if "alpha" in self.case.tensors:
            self.outputs["grad_alpha"] = (grad_u * self.x).sum(dtype=self.dtype).reshape(-1)

    def scale_groups(self):
        """Divides each group of features of x by its root mean square. Returns the result, and 1 over the divisor."""
        x = self.x.reshape((*self.x.shape[:2], int(self.options["groups"]), -1))
        square = np.mean(x * x, axis=3, dtype=self.dtype, keepdims=True)
        rstd = 1 / np.sqrt(square + self.option("group_eps"))
        self.x = (x * rstd).reshape(self.x.shape)
        return x * rstd, rstd

    def unscale_groups(self, scaled, rstd):
        """Applies the backward of group scaling to grad_x."""
        g = self.outputs["grad_x"].reshape(scaled.shape)
        c = np.mean(g * scaled, axis=3, dtype=self.dtype, keepdims=True)
        self.store("grad_x", (g - scaled * c) * rstd)

    def run(self):
        if self.scales_groups:
            scaled, rstd = self.scale_groups()
        has_state = any(name in self.case.tensors for name in protocol.STATE)
        if has_state and not self.case.training:
            self.inference()
        else:
            getattr(self, self.formula.training)()
        if self.scales_groups:
            self.unscale_groups(scaled, rstd)
        return protocol.all_stored(self.case, self.outputs)


def step(case):
    if numpy_scaled.has_eight_bits(case):
        return numpy_scaled.step(case, step)
    if case.op in numpy_optimizers.OPTIMIZERS:
        return numpy_optimizers.step(case)
    with np.errstate(all="ignore"):
        if case.op in (*numpy_transformers.OPERATIONS, *numpy_transformers.BESIDE_THE_PIPE):
            return numpy_transformers.step(case, lambda norm_case: Layer(norm_case).run())
        if case.op in numpy_attention.FUNCTIONS:
            return numpy_attention.FUNCTIONS[case.op](case)
        return Layer(case).run() if case.op in FORMULAS else numpy_functions.step(case)


if __name__ == "__main__":
    protocol.main("NumPy", np.__version__,
                  protocol.asks((*FORMULAS, *numpy_functions.FUNCTIONS, *numpy_functions.GATED,
                                 *numpy_functions.ADDED, "cross_entropy", "gated_rms_norm", "l2_norm", "softplus",
                                 *numpy_attention.FUNCTIONS, *numpy_optimizers.OPTIMIZERS),
                                ("float64", "float32", "float16", "bfloat16")) +
                  protocol.asks(numpy_transformers.OPERATIONS, ("float64", "float32")) +
                  protocol.asks(("decoding",), ("bfloat16",)) +
                  numpy_scaled.asks(), step, TAKES, eight_bits=True)
