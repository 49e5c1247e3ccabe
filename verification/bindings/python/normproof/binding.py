"""The arguments of a function, each with what of a case it is given."""
import inspect
import typing

from normproof import names
from normproof.errors import NotOffered, UsageError

EMPTY = inspect.Parameter.empty
IMPLIED = {"momentum": ("running_decay",), "case": ("*",)}  # what of a case a rule of names.DERIVED heeds


class Argument(typing.NamedTuple):
    parameter: str
    source: object  # a name of names.ALIASES, names.DERIVED or the corpus; ("constant", value); a function of the case
    positional: bool
    required: bool


class Binding:
    """How a function is called: `values(case, tensors)` are its arguments, `taken` what of a case it heeds."""

    def __init__(self, arguments, rules):
        self.arguments, self._rules = arguments, rules

    @property
    def taken(self):
        """Names of tensors and options that the function is given."""
        taken = {argument.source for argument in self.arguments if isinstance(argument.source, str)}
        return taken.union(*(IMPLIED.get(source, ()) for source in taken)) - set(names.DERIVED)

    def described(self):
        """ "weight is gamma, eps is eps" : what a report says of it."""
        said = []
        for argument in self.arguments:
            if isinstance(argument.source, tuple):
                said.append(f"{argument.parameter} is {argument.source[1]!r}")
            elif callable(argument.source):
                said.append(f"{argument.parameter} is computed from the case")
            elif self._rules.described(argument.source) != argument.parameter:
                said.append(f"{argument.parameter} is {self._rules.described(argument.source)}")
        return said

    def values(self, case, tensors):
        """Positional and named arguments; tensors: of the case, as the framework has them."""
        positional, named = [], {}
        for argument in self.arguments:
            value, present = self._value(argument, case, tensors)
            if not present and not argument.required:
                continue
            if argument.positional:
                positional.append(value)
            else:
                named[argument.parameter] = value
        return positional, named

    def _value(self, argument, case, tensors):
        source = argument.source
        if isinstance(source, tuple):
            return source[1], True
        if callable(source):
            return source(case), True
        if source in tensors:
            return tensors[source], True
        if source in case.options:
            return case.options[source], True
        if source in names.DERIVED:
            return self._rules.value(source, case), True
        if argument.required:
            return self._rules.absent(source, case), True
        return None, False


def bind(fn, op, known, rules, given=None, constructor=False):
    """The binding of fn, by its signature and what `given` says of it.

    given: a mapping from the names of fn's arguments to names of the corpus, constants or functions of the case; or
    names of the corpus in the order of fn's arguments, for one that has no signature.
    Throws UsageError for an argument of which nothing is known, in one sentence that lists what is.
    """
    if given is not None and not hasattr(given, "items"):
        return Binding([Argument(str(name), _source(name, known, op), True, True) for name in given], rules)
    given = dict(given or {})
    title = (getattr(fn, "__qualname__", None) or type(fn).__name__).split("<locals>.")[-1]
    parameters = signature_of(fn, given, title, op, known, constructor)
    arguments, first = [], True
    for name, parameter in parameters.items():
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        required = parameter.default is EMPTY
        if name in given:
            source = _source(given.pop(name), known, op)
        else:
            source = names.meaning(name, known, constructor)
            if source == "has_beta" and not isinstance(parameter.default, bool):
                source = None
            if source is None and first and not constructor and "x" in known and not keyword:
                source = "x"
        first = False
        if source is None:
            if not required:
                continue
            raise UsageError(f"{title}: its argument {name!r} is none that {op} is known to have; expected one of "
                             f"{', '.join(sorted(known))}, or arguments={{{name!r}: ...}}")
        positional = parameter.kind is parameter.POSITIONAL_ONLY
        arguments.append(Argument(name, source, positional, required))
    takes_more = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name, source in given.items():
        if not takes_more:
            raise UsageError(f"{title} has no argument {name!r} that arguments= names; it has {', '.join(parameters)}")
        arguments.append(Argument(name, _source(source, known, op), False, True))
    if takes_more and not constructor:
        arguments += _by_their_names(arguments, op, known)
    if not arguments and not constructor:
        raise UsageError(f"{title} takes {'any arguments' if parameters else 'no arguments'}; expected arguments=[...], the "
                         f"names of {op}'s tensors and options in their order, of {', '.join(sorted(known))}")
    return Binding(arguments, rules)


def _by_their_names(arguments, op, known):
    """What **kwargs of a function are given: all else that the case has, under the corpus's names. Gradients that arrive
    are for a backward alone, whose `known` has y."""
    bound = {argument.source for argument in arguments if isinstance(argument.source, str)}
    bound |= {name for source in bound for name in IMPLIED.get(source, ())}
    order = {name: place for place, name in enumerate(names.in_order(op))}
    return [Argument(name, name, False, False) for name in sorted(known - bound, key=lambda one: (order.get(one, 99), one))
            if "y" in known or not name.startswith("grad_") or name == "grad_parameter"]


def _source(given, known, op):
    if callable(given):
        return given
    if not isinstance(given, str):
        return ("constant", given)
    source = names.meaning(given, known)
    return ("constant", given) if source is None else source


def signature_of(fn, given, title, op, known, constructor):
    """The parameters of fn; of one without a signature, x alone where the operation has no other input."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, type) and hasattr(owner, "forward") and getattr(fn, "__name__", "") == "apply":
        parameters = dict(inspect.signature(owner.forward).parameters)  # of a torch.autograd.Function
        parameters.pop(next(iter(parameters)))
        return {name: parameter.replace(kind=parameter.POSITIONAL_ONLY) for name, parameter in parameters.items()}
    try:
        parameters = dict(inspect.signature(fn.__init__ if constructor and inspect.isclass(fn) else fn).parameters)
    except (TypeError, ValueError):
        if given or len(set(known) - {"grad_y", "valid"}) > 1:
            raise UsageError(f"{title} has no signature; expected arguments=[...], the names of {op}'s tensors and "
                             f"options in the order of its arguments, of {', '.join(sorted(known))}") from None
        return {"x": inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)}
    if constructor and inspect.isclass(fn):
        parameters.pop(next(iter(parameters), None), None)  # the instance, whatever its name
    return parameters


def require_taken(case, taken, title, differentiated=False):
    """Declines a case with an input that the function does not take, or an option that is not as usual.

    differentiated: gradients that arrive are not for the function: nobody asks for those that follow, or the framework
    takes them.
    Throws NotOffered, naming it.
    """
    if "*" in taken:
        return
    usual = names.usual_options(case.op)
    for name, value in case.options.items():
        if name not in taken and not (name in usual and _value_of(name, usual[name]) == value):
            raise NotOffered(f"{title} takes no option {name}, which is {value:g} here" if isinstance(value, float)
                             else f"{title} takes no option {name}, which is {value} here")
    for name, stored in case.tensors.items():
        if name in taken or name in ("x", "grad_y") or name == "grad_sum" and differentiated:
            continue
        if name == "valid" and (stored.data.all() or not names.heeds_mask(case.op)):
            continue
        if name in names.state_of(case.op) and case.training and case.op in STATE_NOT_READ:
            continue
        raise NotOffered(f"{title} takes no {name}")


STATE_NOT_READ = ("batch_norm", "power_norm_v")  # in training, y and the gradients do not depend on the state


def _value_of(name, text):
    from normproof.corpus import option_value
    return option_value(name, text)
