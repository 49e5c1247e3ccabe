"""An implementation under test: a function or a module, and how it is asked a case."""
import contextlib
import inspect
import sys

import numpy as np

from normproof import binding, frameworks, names, returned, variants
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.rules import Layout, Rules, features_of
from normproof.stored import Stored

PARAMETERS = ("gamma", "beta", "alpha")  # that a module may have a place for
PARAMETER_GRADIENTS = frozenset({"grad_gamma", "grad_beta"})  # of what a case may lack, which is 1 and 0 then
NOT_LAYERS = ("encoder_layer", "encoder", "decoder_layer", "translator", "language_model", "decoding")
WITH_CHANNELS = ("batch_norm", "instance_norm", "group_norm", "batch_renorm")


class Candidate:
    """fn held against op; the arguments are those of normproof.check, and forward_alone: no gradient is asked for.

    Throws UsageError for a function whose arguments cannot be told, or whose framework cannot.
    """

    def __init__(self, fn, op, known, framework=None, device="cpu", arguments=None, outputs=None, backward=None,
                 layout=None, forward_alone=False):
        self.fn, self.op, self.known, self.device, self.backward = fn, op, known, device, backward
        self.title = title_of(fn)
        self.framework_name = framework or frameworks.detect(fn)
        self.framework = frameworks.framework(self.framework_name)
        self.outputs = tuple(name.strip() for name in outputs.split(",")) if isinstance(outputs, str) else outputs
        self.forward_alone = forward_alone
        self.own = self.framework.builtin_rules(fn) if hasattr(self.framework, "builtin_rules") else {}
        if layout not in (None, "channels_first", "channels_last"):
            raise UsageError(f"normproof: layout={layout!r}; expected 'channels_first' or 'channels_last'")
        first = self.framework.CHANNELS_FIRST and op in WITH_CHANNELS if layout is None else layout == "channels_first"
        self.layout = Layout(first, self.own.get("axes"))
        # Where it is said, or known, where the channels are, they may have pixels in two dimensions.
        self.takes_images = op in WITH_CHANNELS and (first or layout is not None)
        self.rules = Rules(self.framework, self.own, self.layout, self.title)
        self.is_module = hasattr(self.framework, "is_module") and self.framework.is_module(fn)
        if self.is_module and not inspect.isclass(fn):
            raise UsageError(f"{self.title} is a module of one shape and eps; expected its class, or a function that makes "
                             f"one: lambda features, eps: {type(fn).__name__}(features, eps=eps)")
        self.makes_module = self.is_module
        if not self.is_module and hasattr(self.framework, "is_module") and self._looks_like_a_factory():
            self.makes_module = True
        self.binding = binding.bind(fn, op, known, self.rules, arguments, constructor=self.makes_module)
        self.backward_binding = None
        if backward is not None:
            self.backward_binding = binding.bind(backward, op, {*known, "y", "rstd", "mean"}, self.rules)
        self.wrote = ""  # what the last answer has done to its inputs
        self.parameters = PARAMETERS  # that a module has a place for
        self.main = "y"  # the output of a function that returns one
        self.has_logits = False  # beside the loss
        self.has_gradients = True  # the cases
        self.loss_alone = False  # an answer had nothing beside the loss
        self.loaded = {}  # names of a module's members, and what they are

    def require_device(self):
        """Throws UsageError where the framework has no such device."""
        try:
            self.framework.tensor(Stored("float32", np.ones(1, np.float32)), self.device)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(f"normproof: {self.framework.NAME} has no device {self.device!r} here: "
                             f"{in_one_line(error)}") from None

    def _looks_like_a_factory(self):
        """A function without x whose first argument is one of a constructor."""
        try:
            parameters = list(inspect.signature(self.fn).parameters)
        except (TypeError, ValueError):
            return False
        if self.op in NOT_LAYERS or not parameters:
            return False
        meanings = [names.meaning(name, self.known, constructor=True) for name in parameters]
        return "x" not in meanings and meanings[0] in ("features", "normalized_shape", "groups")

    @property
    def taken(self):
        """What of a case the candidate heeds; of a module its parameters too."""
        taken = set(self.binding.taken)
        if self.makes_module:
            taken.update(("x", *names.state_of(self.op), *self.parameters))
        if self.own.get("unbiased"):
            taken.discard("unbiased_running_variance")
        if self.takes_images:
            taken.add("layout")
        return taken

    def is_answer(self, case, name):
        """Whether what was returned by this name is judged: the gradient of a gamma or beta that the case has not is where
        outputs= names it."""
        return (name not in PARAMETER_GRADIENTS or name[len("grad_"):] in case.tensors
                or name in (self.outputs or ()) and name in case.outputs)

    def look_inside(self, case):
        """Finds out which output is the main one, and which parameters the modules have, by one that is made for a case
        with as many as there are."""
        self.main = next((name for name in returned.MAIN if name in case.outputs), "y")
        self.has_logits = self.main == "loss" and "logits" in case.outputs
        self.has_gradients = any(name.startswith("grad_") for name in case.outputs)
        if not self.makes_module:
            return
        try:
            made = self._made(case)
        except Exception:  # every case will say so
            return
        self.parameters = tuple(name for name in case.tensors if name in PARAMETERS
                                and self.framework.has_member(made, name))

    @property
    def differentiates(self):
        """Whether gradients are asked of it: it has them itself, or its framework takes them."""
        return self.backward is not None or "grad_y" in self.binding.taken or self.framework_name not in ("numpy", "dlpack")

    @property
    def asks_framework(self):
        """Whether the framework is to take gradients."""
        return (self.differentiates and self.backward is None and "grad_y" not in self.binding.taken
                and not self.forward_only)

    @property
    def forward_only(self):
        """Whether no gradient is judged."""
        judged = self.judged_outputs()
        return judged != "" and not any(name.startswith("grad_") for name in judged.split(","))

    @property
    def judges_the_same(self):
        """Whether the outputs that are judged are the same whatever was returned."""
        if self.outputs:
            return not PARAMETER_GRADIENTS & set(self.outputs)
        return self._judges_gradients and not self.has_logits

    @property
    def _judges_gradients(self):
        """Whether without outputs= gradients are judged too."""
        return self.differentiates and not self.forward_alone

    def judged_outputs(self, case=None, returned_ones=None):
        """The outputs that are judged, for normproof_set; "": all that the case requires.

        Of a forward alone the main one, and what else it returned in the case: a sum, statistics, a state that is not as it
        was. Of a model that returned its loss alone, the loss and the gradients. Of outputs= those that it names, but for
        the gradient of a gamma or beta that the case has not, which a function need not return then.
        """
        if self.outputs:
            free = set() if case is None else {name for name in PARAMETER_GRADIENTS
                                               if name[len("grad_"):] not in case.tensors} - set(returned_ones or ())
            return ",".join(name for name in self.outputs if name not in free) or ",".join(self.outputs)
        if not self._judges_gradients:
            return ",".join([self.main, *returned.beside(self, case, returned_ones or {})])
        forward = [name for name in returned_ones or () if not name.startswith("grad_")]
        if case is not None and self.has_logits and forward == ["loss"]:
            self.loss_alone = True
            return ",".join(["loss", *(name for name in case.outputs if name.startswith("grad_"))])
        state = names.state_of(self.op)
        if state and not set(state) & self.taken:
            return "y,grad_x,grad_gamma,grad_beta"
        return ""

    def conventions(self):
        """What of the calling convention was found out, one short text each."""
        said = [f"{self.framework.NAME} on {self.device}", *self.binding.described()]
        if self.layout.channels_first:
            said.append("channels are the axis after the samples" + (
                f", {self.own['axes']} axes behind them" if self.own.get("axes") is not None else ""))
        if self.own.get("unbiased"):
            said.append("the running variance is the unbiased one")
        if self.own.get("state_parameters"):
            said.append("beside statistics in float32, parameters of 16 bits are float32")
        if self.makes_module:
            said.extend(f"{member} is {name}" for member, name in self.loaded.items() if member != name)
            said.append("a module for each case")
        if self.backward is not None:
            said.append(f"gradients by {title_of(self.backward)}")
        elif "grad_y" in self.binding.taken:
            said.append("gradients by the function itself")
        elif not self.differentiates or self.forward_alone:
            said.append("no gradients: forward alone")
        elif not self.has_gradients:
            said.append(f"no gradients: {self.op} has none")
        else:
            said.append("no gradients: outputs= names none" if self.forward_only else "gradients by the framework")
        if self.loss_alone:
            said.append("the loss is returned alone: no logits and no state are judged")
        return said

    def require_offered(self, case, heeded=()):
        """Declines what the candidate has no counterpart for, but what it heeds otherwise. Throws NotOffered."""
        if self.own.get("one_row") and case.training and case.tensors["x"].data.size // features_of(case) < (
                2 * (case.tensors["x"].shape[0] if case.sequence else 1)):
            raise NotOffered(f"{self.title} does not train on one row")
        if self.own.get("unbiased") and not case.options.get("unbiased_running_variance", True):
            raise NotOffered(f"{self.title} has the unbiased running variance")
        binding.require_taken(case, {*self.taken, *heeded}, self.title, self.forward_only or self.asks_framework)

    def answer(self, case, **variant):
        """The outputs, {name: Stored}: of a sequence those of every step on top of each other.

        variant, what a relation asks: alter(name, tensor), the inputs otherwise in memory; wanted, the leaves that want
        a gradient; function, in the place of fn; buffer(x), where y is written to; forward_only.
        Throws NotOffered, Unanswered with one sentence, or what the function throws.
        """
        self.wrote = ""
        with getattr(self.framework, "context", lambda dtype: contextlib.nullcontext())(case.dtype):
            if not case.sequence:
                return self._step(case, **variant)
            state, every = {}, []
            state_names = [name for name in case.tensors if name in names.state_of(case.op)
                           or name in ("parameter", "velocity", "first_moment", "second_moment", "iterations")]
            stepped = "x" if "x" in case.tensors else "grad_parameter"
            for index in range(case.tensors[stepped].shape[0]):
                every.append(self._step(case.at(index, state), **variant))
                state = {name: every[-1][name] for name in state_names if name in every[-1]}
            return {name: Stored(every[0][name].dtype, np.stack([step[name].data for step in every]))
                    for name in every[0]}

    def tensors(self, case):
        """The tensors of a case as the framework has them."""
        return {name: self.framework.tensor(stored, self.device) for name, stored in self.placed(case).items()}

    def placed(self, case):
        """The tensors of a case in the candidate's layout, not yet of its framework."""
        placed = {}
        for name, stored in case.tensors.items():
            if name in returned.SHAPED_AS_X:
                stored = self.layout.placed(case, stored)
            elif name in ("gamma", "beta") and self.own.get("state_parameters") and "running_mean" in case.tensors:
                stored = Stored("float64" if stored.dtype == "float64" else "float32",
                                np.asarray(stored.widened(), np.float64 if stored.dtype == "float64" else np.float32))
            placed[name] = stored
        return placed

    def _step(self, case, alter=None, buffer=None, **variant):
        case.device = self.device
        placed = self.placed(case)
        given = {name: self.framework.tensor(stored, self.device) for name, stored in placed.items()}
        if alter is not None:
            given = {name: alter(name, tensor) for name, tensor in given.items()}
        answered = self.outputs_of(case, given, place=buffer and buffer(given["x"]), **variant)
        if buffer is None:
            self.wrote = returned.what_was_written(self, placed, given)
        shape = case.tensors["x"].shape if "x" in case.tensors else None
        outputs = {}
        for name, value in answered.items():
            outputs[name] = returned.stored(self, case, name, value, shape)
        return outputs

    def outputs_of(self, case, given, wanted=None, function=None, place=None, forward_only=False):
        """What the implementation answers, in its framework; the rest as for answer."""
        if self.makes_module:
            forward, leaves = self._module(case, given)
        else:
            forward = self._function(case, given, function or self.fn, place)
            leaves = {name: value for name, value in given.items() if name in self.binding.taken
                      and "grad_" + name in case.outputs}
        if wanted is not None:
            for name in set(leaves) - set(wanted):
                getattr(self.framework, "freeze", lambda leaf: None)(leaves.pop(name))
        takes = self.asks_framework and not forward_only
        cotangent = self._cotangent(case, given) if takes else None
        if cotangent is not None and "loss" in case.outputs:
            forward = self._with_one_number(forward)
        if cotangent is not None and "grad_sum" in given:
            y, others, found = self._with_sum(forward, leaves, cotangent, given["grad_sum"])
        else:
            y, others, found = self.framework.gradients(forward, leaves, cotangent)
        if cotangent is not None and found is None:
            inputs = "x" if "x" in given else "its inputs"
            raise Unanswered(f"{self.main} does not depend on {inputs} for the framework, so there are no gradients; expected "
                             f"outputs='{self.main}', backward=, or a function that can be differentiated")
        answered = {self.main: y, **others, **{"grad_" + name: value for name, value in (found or {}).items()}}
        if y is None:
            del answered[self.main]
        for name in names.state_of(case.op):  # written in place
            if name in given and name not in answered and name in self.binding.taken:
                answered[name] = given[name]
        if self.backward is not None and not forward_only:
            answered.update(self._backward(case, given, answered))
        return answered

    def _function(self, case, given, function, place):
        def forward(leaves):
            positional, named = self.binding.values(case, {**given, **leaves})
            if place is not None:
                named[variants.buffer_argument(self)] = place if variants.buffer_argument(self) == "out" else True
            results = returned.by_names(self, function(*positional, **named), case)
            return results.pop(self.main, None), results
        return forward

    def _cotangent(self, case, given):
        """The gradient that arrives at the main output: grad_y, 1 of a loss; None where there is none."""
        if "loss" in case.outputs:
            return self.framework.tensor(Stored("float32", np.ones(1, np.float32)), self.device)
        return given.get("grad_y")

    def _with_one_number(self, forward):
        """The same function, whose loss is an array of one number: frameworks return it as a number."""
        def reshaped(leaves):
            loss, others = forward(leaves)
            if self.framework.is_tensor(loss) and tuple(loss.shape) == ():
                loss = self.framework.reshape(loss, (1,))
            return loss, others
        return reshaped

    def _with_sum(self, forward, leaves, grad_y, grad_sum):
        """Gradients of y and of the sum before it, each with what arrives at it: as those of both on top of each other."""
        def stacked(given):
            y, others = forward(given)
            if "sum" not in others:
                raise NotOffered(f"{self.title} returns no sum, of which the case has a gradient; expected y and "
                                 "sum, or outputs='y'")
            return self.framework.stack([y, others.pop("sum")]), others
        both, others, found = self.framework.gradients(stacked, leaves, self.framework.stack([grad_y, grad_sum]))
        return both[0], {**others, "sum": both[1]}, found

    def _made(self, case):
        positional, named = self.binding.values(case, {})
        module = self.fn(*positional, **named)
        if not self.framework.is_module(module):
            raise Unanswered(f"{self.title} made a {type(module).__name__}; expected a module")
        return module.to(self.device)

    def _module(self, case, given):
        module = self._made(case)

        def call(made, leaves):
            return returned.by_names(self, made(leaves["x"]), case)["y"]
        forward, leaves, self.loaded = self.framework.module_forward(module, given, case.training, call)
        return forward, leaves

    def _backward(self, case, given, answered):
        results = {name: value for name, value in answered.items() if name not in given}
        positional, named = self.backward_binding.values(case, {**given, **results})
        gradients = self.backward(*positional, **named)
        if isinstance(gradients, dict):
            return gradients
        order = ["grad_" + argument.source for argument in self.binding.arguments
                 if isinstance(argument.source, str) and "grad_" + argument.source in case.outputs]
        values = list(gradients) if isinstance(gradients, (tuple, list)) else [gradients]
        if len(values) > len(order):
            raise Unanswered(f"backward returned {len(values)} values; expected {', '.join(order)}")
        return {name: value for name, value in zip(order, values) if name[len("grad_"):] in case.tensors}


def title_of(fn):
    """ "torch.nn.modules.normalization.LayerNorm" without what is in between: "torch.nn.LayerNorm"."""
    name = getattr(fn, "__qualname__", None) or type(fn).__name__
    module = getattr(fn, "__module__", None) or ""
    if module in ("__main__", "builtins", "") or "<lambda>" in name or "<locals>" in name:
        return name.split("<locals>.")[-1]
    if module.startswith("torch.nn.modules"):
        module = "torch.nn"
    functional = sys.modules.get("torch.nn.functional")
    if module.startswith("torch._C") and getattr(functional, name, None) is fn:
        module = "torch.nn.functional"
    return f"{module}.{name}"
