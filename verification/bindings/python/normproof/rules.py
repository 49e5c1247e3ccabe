"""What follows from a case for an argument that is no tensor and no option of it, by the framework's conventions."""
import numpy as np

from normproof import names
from normproof.corpus import layer_descriptions
from normproof.errors import NotOffered
from normproof.stored import Stored


def has_channels_first(case):
    """Whether x and what has its shape are [B,D,H,W] in the case."""
    return case.options.get("layout") == "channels_first"


def features_of(case):
    return case.tensors["x"].shape[1 if has_channels_first(case) else -1]


class Rules:
    def __init__(self, framework, own, layout, title):
        self.framework, self.own, self.layout, self.title = framework, own, layout, title

    def value(self, rule, case):
        """The value of a rule of names.DERIVED in a case."""
        features = features_of(case) if "x" in case.tensors else None
        return {
            "normalized_shape": lambda: (features,),
            "features": lambda: features,
            "last_axis": lambda: -1,
            "momentum": lambda: self._momentum(case),
            "training": lambda: case.training,
            "inference": lambda: not case.training,
            "has_gamma": lambda: "gamma" in case.tensors,
            "has_beta": lambda: "beta" in case.tensors,
            "approximate": lambda: self._approximate(case.op),
            "case": lambda: case,
        }[rule]()

    def _momentum(self, case):
        decay = case.options.get("running_decay", case.options.get("momentum", 0.9))
        return 1 - decay if self.framework.MOMENTUM.startswith("1") and "momentum" not in case.options else decay

    def _approximate(self, op):
        exact, by_tanh = ("none", "tanh") if self.framework.NAME.startswith("PyTorch") else (False, True)
        return by_tanh if op == "gelu_tanh" else exact

    def absent(self, name, case):
        """What a required argument gets where the case has no such tensor: what changes nothing.

        Throws NotOffered where nothing does.
        """
        if name in ("gamma", "beta"):
            kind = case.tensors["x"].data.dtype
            if case.tensors["x"].dtype == "bfloat16":
                one = np.array(0x3F80, np.uint16)
            else:
                one = np.array(1, kind)
            described = layer_descriptions().get(case.op, {}).get("parameters", [])
            single = any(parameter["name"] == name and parameter["shape"] == "[1]" for parameter in described)
            shape = (1,) if single else (features_of(case),)
            values = np.full(shape, one if name == "gamma" else 0, kind)
            return self.framework.tensor(case.tensors["x"].like(values), getattr(case, "device", "cpu"))
        if name == "valid":
            full = Stored("boolean", np.ones(names.mask_shape(case), np.bool_))
            return self.framework.tensor(full, getattr(case, "device", "cpu"))
        raise NotOffered(f"{self.title} needs {name}, which the case has not")

    def described(self, source):
        """A rule, or a name of the corpus, in the words of a report."""
        return {"normalized_shape": "(D,)", "features": "D, the last extent of x", "last_axis": "-1",
                "momentum": self.framework.MOMENTUM, "training": "whether the mode is training",
                "inference": "whether the mode is inference", "has_gamma": "whether there is gamma",
                "has_beta": "whether there is beta", "approximate": "tanh for gelu_tanh alone",
                "case": "the case"}.get(source, source)


class Layout:
    """Where the framework has the channels: behind the samples, or last as the corpus has them.

    axes: behind the channels, where a module wants so many; shape: that the caller's own x has, or None.
    """

    def __init__(self, channels_first, axes=None, shape=None):
        self.channels_first, self.axes, self.shape = channels_first, axes, shape

    def placed(self, case, stored):
        """A tensor of x's shape as the framework has it: contiguous, but where the case has images whose channels are last
        and the framework has them behind the samples: then the memory stays that of channels last.
        """
        if has_channels_first(case):
            stored = stored.like(np.moveaxis(stored.data, 1, -1))
        moved = self.moved(stored)
        if case.options.get("layout") == "channels_last" and self.channels_first and self.shape is None:
            return moved.like(np.moveaxis(np.ascontiguousarray(np.moveaxis(moved.data, 1, -1)), -1, 1))
        return moved

    def returned(self, case, stored, shape):
        """The reverse, for an answer, `shape` being that of x in the case."""
        if not has_channels_first(case):
            return self.back(stored, shape)
        rows = (shape[0], *shape[2:], shape[1])
        back = self.back(stored, rows)
        return back.like(np.moveaxis(back.data, -1, 1)) if back.data.shape == rows else back

    def moved(self, stored):
        """A tensor of x's shape, channels last, as the framework has it, contiguous."""
        data = stored.data
        if self.channels_first and data.ndim > 2:
            data = np.moveaxis(data, -1, 1)
        if self.shape is not None:
            kept = data.size == int(np.prod(self.shape))  # not what arrives at a y of fewer axes
            return stored.like(np.ascontiguousarray(data).reshape(self.shape) if kept else data)
        wanted = None if self.axes is None or not self.channels_first else 2 + self.axes
        if wanted is not None:
            while data.ndim < wanted and not (wanted == 3 and data.ndim == 2):
                data = data[..., None]
            if data.ndim > wanted:
                raise NotOffered(f"x has {data.ndim} axes, where {self.axes} behind the channels are taken")
        return stored.like(np.ascontiguousarray(data))

    def back(self, stored, shape):
        """The reverse, for an answer; one of another shape is left as it is."""
        data = stored.data
        if self.shape is not None and data.shape == tuple(self.shape):
            first = self.channels_first and len(shape) > 2
            data = data.reshape((shape[0], shape[-1], *shape[1:-1]) if first else shape)
            return stored.like(np.moveaxis(data, 1, -1) if first else data)
        if not self.channels_first or len(shape) < 3 and self.axes is None:
            return stored
        moved = tuple(shape) if len(shape) < 3 else (shape[0], shape[-1], *shape[1:-1])
        if data.shape[:len(moved)] != moved or data.size != int(np.prod(shape)):
            return stored
        data = data.reshape(moved)
        return stored.like(data if len(shape) < 3 else np.moveaxis(data, 1, -1))
