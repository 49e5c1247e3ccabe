"""Draws random questions for normproof.judge: the tensors and options of one call of an operation.

A question follows from the seed, the operation, the dtype and its index alone, so that one line repeats it.
"""
import collections
import dataclasses
import functools
import zlib

import numpy as np

import protocol
from false_alarm_values import FOUR, NARROW, REGIMES, draw_values, inject, numpy_dtype, round_to

# [rows, features], and [samples, tokens, features].
ROWS = ((1, 1), (1, 2), (2, 1), (3, 5), (1, 7), (7, 8), (4, 16), (5, 17), (2, 33), (8, 31), (33, 3), (3, 64), (2, 65),
        (1, 129), (2, 256), (1, 1025), (65, 4), (2, 3, 4), (3, 1, 8), (2, 5, 12), (4, 2, 33))
# [samples, heads, groups of heads, queries, keys, features, features of a value]
ATTENTION = ((1, 1, 1, 1, 1, 1, 1), (2, 2, 1, 3, 5, 4, 4), (1, 4, 2, 8, 8, 8, 8), (1, 1, 1, 2, 33, 16, 16),
             (2, 1, 1, 5, 3, 3, 3), (1, 2, 2, 17, 17, 4, 4), (1, 1, 1, 1, 65, 8, 8))
# [splits, samples, heads, queries, features of a value]
MERGES = ((1, 1, 1, 1, 1), (2, 2, 2, 3, 5), (3, 1, 4, 5, 16), (7, 1, 1, 2, 64), (2, 1, 8, 1, 128), (33, 1, 2, 3, 4),
          (5, 3, 1, 7, 17))
ROPE = ((1, 1, 2), (2, 3, 4), (1, 2, 5, 8), (2, 7, 6), (17, 16))
EPS = (0.0, 1e-12, 1e-8, 1e-6, 1e-5, 1e-3, 0.1, 1.0)
SPECIAL = 0.2  # the part of the questions that has infinities or NaN
FORWARD_ONLY = 0.2
WITH_CHANNELS = ("batch_norm", "group_norm", "instance_norm")
MODELS = ("encoder_layer", "encoder", "decoder_layer", "translator", "language_model", "decoding")


@dataclasses.dataclass
class Question:
    """One call of normproof.judge.

    tensors   arrays of NumPy by the names of the corpus
    options   plain values by name
    traits    words that say what is special about the values, for findings
    """
    op: str
    dtype: str
    index: int
    mode: str
    tensors: dict
    options: dict
    traits: tuple

    @property
    def path(self):
        return f"{self.op}/{self.dtype}/{self.index}"

    def arguments_for(self, framework):
        """Returns the arguments of normproof.judge. In PyTorch, the second axis of x has the channels of some norms."""
        tensors = self.tensors
        if framework == "torch" and self.op in WITH_CHANNELS:
            tensors = {name: np.ascontiguousarray(np.moveaxis(value, -1, 1)) if name in ("x", "grad_y") and value.ndim == 3
                       else value for name, value in tensors.items()}
        return {"mode": self.mode, **tensors, **self.options}


class Drawing:
    """Draws one question. Collects its tensors, options and traits."""

    def __init__(self, op, dtype, seed, index, shapes):
        self.op, self.dtype, self.index = op, dtype, index
        self.generator = np.random.default_rng([seed, zlib.crc32(f"{op}/{dtype}".encode()), index])
        self.described = protocol.OPERATIONS[op]
        self.tensors, self.options, self.traits, self.mode = {}, {}, [], "training"
        self.forward_only, self.shapes = False, shapes

    def choose_shape(self, shapes):
        """Returns one of the shapes. If their number is limited, those of float64 differ from those of the other dtypes."""
        if self.shapes is None:
            return self.choose(shapes)
        first, distance = (3 if self.dtype == "float64" else 5), max(1, len(shapes) // self.shapes)
        return shapes[(first + distance * int(self.generator.integers(self.shapes))) % len(shapes)]

    def chance(self, probability):
        return bool(self.generator.random() < probability)

    def choose(self, values):
        return values[int(self.generator.integers(len(values)))]

    def add(self, name, values, dtype=None):
        self.tensors[name] = round_to(np.asarray(values, np.float64), dtype or self.dtype)

    def add_data(self, name, shape):
        """Adds an input such as x, in a regime, sometimes with infinities and NaN that the operation takes."""
        regime = self.choose(REGIMES)
        values = draw_values(self.generator, shape, self.dtype, regime)
        self.traits.append(f"{name}:{regime}")
        if self.described["kind"] != "optimizer" and self.chance(SPECIAL):
            infinities = {"minus_infinity_is_a_limit": (-np.inf, -np.inf, -np.inf, np.inf, np.nan),
                          "make_nan": (-np.inf, np.inf, np.nan)}
            kinds = infinities.get(self.described["infinite_elements"] if name in ("x", "logits") else "", (np.nan,))
            values = inject(self.generator, values, kinds)
            self.traits.append(f"{name}:special")
        self.add(name, values)

    def add_gradient(self, name, shape):
        if self.forward_only:
            return
        values = draw_values(self.generator, shape, self.dtype, self.choose(("ordinary", "ordinary", "integers", "signed_zeros",
                                                                             "constant_rows")))
        if self.chance(0.05):
            values = inject(self.generator, values, (np.nan, np.inf, -np.inf))
            self.traits.append(f"{name}:special")
        self.add(name, values)

    def add_parameters(self, features):
        """Adds gamma, beta and alpha, or a part of them."""
        kind = self.choose(("all", "all", "none", "first"))
        shapes = {one["name"]: one["shape"] for one in self.described["operands"] if one["name"] in ("gamma", "beta", "alpha")}
        if "alpha" in shapes and kind == "first":
            kind = "all"
        for name in list(shapes)[:{"all": 3, "none": 0, "first": 1}[kind]]:
            width = 1 if shapes[name] == "[1]" else features
            self.add(name, (name != "beta") + self.generator.standard_normal(width) * self.choose((0.1, 1, 10)))

    def add_state(self, features):
        kind = "float64" if self.dtype == "float64" else "float32"
        for entry in self.described["state"]:
            name = entry["name"]
            if name == "iterations":
                self.tensors[name] = np.array([self.choose((0, 1, 9, 1000))], np.int64)
            elif name in ("running_mean", "nu"):
                self.add(name, self.generator.standard_normal(features), kind)
            else:
                self.add(name, self.generator.uniform(0.1, 3, features), kind)

    def draw_options(self, features):
        """Draws the options over their range. Some keep their default, and are left out."""
        ranges = {
            "eps": lambda: self.choose(EPS) if self.chance(0.7) else 10 ** self.generator.uniform(-12, 0),
            "zero_centred_gamma": lambda: self.chance(0.1),
            "running_decay": lambda: self.choose((0.0, 0.9, 0.99, float(self.generator.random()))),
            "unbiased_running_variance": lambda: self.chance(0.5),
            "groups": lambda: self.choose([n for n in range(1, features + 1) if features % n == 0]),
            "group_eps": lambda: self.choose(EPS[1:]),
            "r_max": lambda: 1 + 3 * float(self.generator.random()), "d_max": lambda: 5 * float(self.generator.random()),
            "alpha0": lambda: float(self.generator.uniform(0.1, 2)),
            "alpha_forward": lambda: float(self.generator.uniform(0.5, 1)),
            "alpha_backward": lambda: float(self.generator.uniform(0.5, 1)),
            "warmup_iterations": lambda: self.choose((0, 1, 100)),
            "mask_corner": lambda: self.choose(("bottom_right", "top_left")),
            **dict.fromkeys(("window_left", "window_right"), lambda: int(self.generator.integers(0, 6))),
            "soft_cap": lambda: float(10 ** self.generator.uniform(-1, 2)),
            "reduction": lambda: self.choose(("mean", "sum", "none")),
            "z_loss": lambda: self.choose((0.0, 1e-4, float(self.generator.uniform(0, 1)))),
            "log_sum_exp_base": lambda: self.choose(("e", "2")),
            "causal": lambda: self.chance(0.5), "interleaved": lambda: self.chance(0.5),
            "label_smoothing": lambda: self.choose((0.0, 0.1, float(self.generator.random()))),
            "eps_placement": lambda: self.choose(("inside", "outside", "floor")),
            "gate_position": lambda: self.choose(("after", "before")),
            "gate_activation": lambda: self.choose(("silu", "sigmoid")),
            "learning_rate": lambda: 10 ** float(self.generator.uniform(-5, 0)),
            "momentum": lambda: self.choose((0.0, 0.9, float(self.generator.random()))),
            "beta1": lambda: self.choose((0.0, 0.9, float(self.generator.random()))),
            "beta2": lambda: self.choose((0.9, 0.999, float(self.generator.uniform(0.5, 1)))),
            "beta": lambda: self.choose((0.5, 2.0, float(self.generator.uniform(0.1, 5)))),
            "limit": lambda: self.choose((0.5, 1.0, 3.0, 7.0)),
            "alpha": lambda: self.choose((1.0, 1.702, float(self.generator.uniform(0.1, 3)))),
            "threshold": lambda: self.choose((2.0, 20.0, float(self.generator.uniform(0, 40)))),
            "weight_decay": lambda: self.choose((0.0, 0.01, 0.1)),
        }
        for name in self.described["options"]:
            if name == "scale" and self.chance(0.3):
                self.options[name] = float(10 ** self.generator.uniform(-1, 0.3))
            elif name in ranges and self.chance(0.25 if name.startswith("window_") or name in ("soft_cap", "limit") else 0.8):
                self.options[name] = ranges[name]()

    def draw_layer(self):
        shape = self.choose_shape(ROWS)
        if self.described["independence"] == "sample" and len(shape) == 2:
            shape = (shape[0], 4, min(shape[1], 256))
        self.draw_options(shape[-1])
        self.add_data("x", shape)
        self.add_gradient("grad_y", shape)
        self.add_parameters(shape[-1])
        self.add_state(shape[-1])
        if self.described["state"] and self.chance(0.2):
            self.mode = "inference"
        if self.chance(0.1):
            self.tensors["valid"] = self.generator.random(shape[:-1]) < 0.8

    def draw_function(self):
        shape = self.choose_shape(ROWS)
        self.draw_options(shape[-1])
        named = [one["name"] for one in self.described["operands"]]
        for name in ("x", "residual", "gate"):
            if name in named:
                self.add_data(name, shape)
        if "gamma" in named:
            self.add_parameters(shape[-1])
        if not self.forward_only:
            self.add_gradient("grad_y", shape[:-1] if self.described["reduces"] else shape)
            if "grad_sum" in named:
                self.add_gradient("grad_sum", shape)
        if "valid" in named and self.chance(0.1):
            self.tensors["valid"] = self.generator.random(shape) < 0.8

    def draw_attention(self):
        samples, heads, groups, tokens, keys, features, width = self.choose_shape(ATTENTION)
        self.draw_options(features)
        self.add_data("q", (samples, heads, tokens, features))
        self.add_data("k", (samples, groups, keys, features))
        self.add_data("v", (samples, groups, keys, width))
        self.add_gradient("grad_y", (samples, heads, tokens, width))
        if self.chance(0.2):
            self.tensors["valid"] = self.generator.random((samples, keys)) < 0.8
        if self.chance(0.2):
            self.add("sinks", self.generator.standard_normal(heads) * self.choose((1, 5, 50)))
        if self.chance(0.2):
            extents = (self.choose((1, samples)), self.choose((1, heads)), tokens, keys)
            values = self.generator.standard_normal(extents) * self.choose((1, 10))
            hidden = self.generator.random(extents) < self.choose((0, 0.2))
            self.add("bias", np.where(hidden, -np.inf, values))

    def draw_merge(self):
        splits, *queries, features = self.choose_shape(MERGES)
        self.draw_options(features)
        self.add_data("o", (splits, *queries, features))
        logs = self.choose((0.0, 10.0, -100.0, 1e3)) + self.choose((0.1, 2, 30)) * self.generator.standard_normal((splits, *queries))
        empty = self.generator.random(logs.shape) < self.choose((0, 0.2, 0.6))
        self.add("log_sum_exp", np.where(empty, -np.inf, logs), "float64" if self.dtype == "float64" else "float32")
        self.add_gradient("grad_y", (*queries, features))

    def draw_rope(self):
        shape = self.choose_shape(ROPE)
        self.draw_options(shape[-1])
        self.add_data("x", shape)
        self.add_gradient("grad_y", shape)
        angles = self.generator.uniform(-np.pi, np.pi, (shape[-2], self.choose((shape[-1] // 2, max(1, shape[-1] // 4)))))
        self.add("cos", np.cos(angles))
        self.add("sin", np.sin(angles))

    def draw_cross_entropy(self):
        rows, classes = self.choose_shape([shape for shape in ROWS if len(shape) == 2])
        self.draw_options(classes)
        self.add_data("logits", (rows, classes))
        self.tensors["targets"] = self.generator.integers(classes, size=rows)
        if self.chance(0.3):
            self.add("class_weights", self.generator.uniform(0.1, 2, classes))
        if self.chance(0.3):
            self.tensors["valid"] = self.generator.random(rows) < 0.8

    def draw_finite(self, shape):
        """Draws values without NaN and infinities, which scales that follow from the largest magnitude do not have."""
        regime = self.choose(REGIMES)
        self.traits.append(f"x:{regime}")
        return round_to(draw_values(self.generator, shape, self.dtype, regime), self.dtype)

    def draw_quantize(self):
        """Draws x and one kind of scale of y: given, of rows or groups or the tensor, of blocks, or of blocks and the tensor."""
        y_dtype = self.choose(NARROW)
        shape = self.choose_shape([shape for shape in ROWS if shape[-1] % 2 == 0 or y_dtype != "float4_e2m1fn"])
        self.tensors["x"] = self.draw_finite(shape)
        self.options["y_dtype"] = y_dtype
        kind = self.choose(("given", "groups", "groups", "blocks", "tensor"))
        if kind == "blocks" and y_dtype != "int8":
            return
        if kind == "tensor" and y_dtype == "float4_e2m1fn":
            self.add("y_tensor_scale", [10 ** self.generator.uniform(-4, 0)], "float32")
        elif kind == "given":
            self.add("y_scale", [10 ** self.generator.uniform(-4, 1)], "float32")
        else:
            self.options["y_scale_group"] = self.choose((-1, shape[-1], 32, 64, 128))
            if self.chance(0.3):
                self.options["y_scale_power_of_two"] = True
            if self.chance(0.3):
                self.add("y_scale_ub", [10 ** self.generator.uniform(-2, 2)], "float32")
            if self.chance(0.3):
                self.add("y_scale_min", [10 ** self.generator.uniform(-6, -1)], "float32")

    def draw_dequantize(self):
        """Draws codes of 8 or 4 bits, and one kind of scale of x."""
        x_dtype = self.choose(NARROW)
        shape = self.choose_shape([shape for shape in ROWS if shape[-1] % 2 == 0 or x_dtype != "float4_e2m1fn"])
        codes = self.generator.integers(0, 16 if x_dtype == "float4_e2m1fn" else 256, shape).astype(np.uint8)
        kind = numpy_dtype(x_dtype)
        x = codes.view(kind)
        finite = np.isfinite(x.astype(np.float32)) if x_dtype != "int8" else x != -128
        self.tensors["x"] = np.where(finite, x, np.zeros((), kind)).astype(kind)
        self.options["y_dtype"] = self.dtype
        scaling = self.choose(("given", "groups", "blocks", "tensor"))
        if scaling == "tensor" and x_dtype == "float4_e2m1fn":
            self.add("x_tensor_scale", [10 ** self.generator.uniform(-4, 0)], "float32")
            self.tensors["x_scale"] = self.scales(shape, 16, -6, 6).astype(numpy_dtype("float8_e4m3fn"))
        elif scaling == "blocks" and x_dtype != "int8":
            exponents = np.floor(np.log2(self.scales(shape, 32, -10, 10)))
            self.tensors["x_scale"] = np.exp2(exponents).astype(numpy_dtype("float8_e8m0fnu"))
        elif scaling == "groups":
            group = self.choose((shape[-1], 32, 64, 128))
            self.options["x_scale_group"] = group
            self.tensors["x_scale"] = self.scales(shape, group, -10, 10).astype(np.float32)
        else:
            self.add("x_scale", [10 ** self.generator.uniform(-4, 1)], "float32")

    def scales(self, shape, group, low, high):
        return 2.0 ** self.generator.uniform(low, high, (*shape[:-1], -(-shape[-1] // group)))

    def draw_optimizer(self):
        shape = self.choose_shape([shape for shape in ROWS if len(shape) == 2])
        self.draw_options(shape[-1])
        self.add("parameter", draw_values(self.generator, shape, self.dtype, "ordinary"))
        self.add_data("grad_parameter", shape)
        kind = "float64" if self.dtype == "float64" else "float32"
        for entry in self.described["state"]:
            if entry["name"] == "iterations":
                self.tensors["iterations"] = np.array([self.choose((0, 1, 9, 1000))], np.int64)
            elif entry["name"] != "velocity" or self.options.get("momentum"):
                values = self.generator.standard_normal(shape)
                self.add(entry["name"], values ** 2 if entry["name"] == "second_moment" else values, kind)

    def draw_model(self):
        """Takes shapes, masks, tokens and options from a case of the quick tier, and draws every floating tensor."""
        cases = model_cases(self.op)
        case = self.choose(cases if self.shapes is None else cases_of_one_shape(self.op))
        self.mode = "training" if case.training else "inference"
        self.options = {name: value for name, value in case.options.items() if value is not None}
        for name in self.options:
            if name.endswith("norm.eps"):
                self.options[name] = self.choose(EPS[2:])
        for name, stored in case.tensors.items():
            if stored.dtype not in FOUR:
                self.tensors[name] = stored.array()
                continue
            last = name.rpartition(".")[2]
            values = self.generator.standard_normal(stored.shape)
            if last in ("running_variance", "running_psi2", "class_weights"):
                values = self.generator.uniform(0.1, 3, stored.shape)
            elif last == "gamma":
                values = 1 + values / 2
            elif last == "weight":
                values = values / np.sqrt(stored.shape[-1]) * self.choose((0.5, 1, 3))
            state = last in ("running_variance", "running_mean", "running_psi2", "nu")
            self.add(name, values, "float32" if state and self.dtype != "float64" else None)

    def draw(self):
        kind = self.described["kind"]
        self.forward_only = kind in ("layer", "function") and self.chance(FORWARD_ONLY)
        special = {"attention": self.draw_attention, "rope": self.draw_rope, "cross_entropy": self.draw_cross_entropy,
                   "quantize": self.draw_quantize, "dequantize": self.draw_dequantize,
                   "merge_attention_states": self.draw_merge}
        if self.op in MODELS:
            self.draw_model()
        elif self.op in special:
            special[self.op]()
        else:
            {"layer": self.draw_layer, "function": self.draw_function, "optimizer": self.draw_optimizer}[kind]()
        return Question(self.op, self.dtype, self.index, self.mode, self.tensors, self.options, tuple(self.traits))


@functools.lru_cache(maxsize=None)
def model_cases(op):
    """Returns the cases of the quick tier that normproof.judge can certify again: those of one step."""
    from normproof.checking import open_corpus
    corpus = open_corpus(op, "quick")
    return [corpus.select(index) for index in range(len(corpus)) if not corpus.description(index)["sequence"]]


@functools.lru_cache(maxsize=None)
def cases_of_one_shape(op):
    """Returns the cases among model_cases(op) whose x or tokens have the most frequent shape."""
    def shape_of(case):
        return case.tensors["x" if "x" in case.tensors else "tokens"].shape
    cases = model_cases(op)
    ((most_frequent, _),) = collections.Counter(map(shape_of, cases)).most_common(1)
    return [case for case in cases if shape_of(case) == most_frequent]


def draw_question(op, dtype, seed, index, shapes=None):
    """Returns a question. `shapes` limits the number of shapes of a dtype, and models to one shape."""
    return Drawing(op, dtype, seed, index, shapes).draw()
