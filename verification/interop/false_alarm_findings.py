"""Reasons for the failures of verification/interop/false_alarms: findings about implementations, and known false alarms.

A failure is a dictionary: implementation, op, dtype, traits, options, text, tensors (name, got, exact, ratio, ... of each
failed output) and evidence. The evidence has the outcomes of other answers to the same question:

flushed        the same function, where subnormal numbers may be flushed to 0
folded         the same function, where the bounds allow x r - m r for (x - m) r
wider          the same function, computed in a dtype with more digits and rounded at the end; absent in float64
wider_folded   wider and folded
wider_flushed  wider and flushed
numpy          the formula in NumPy, in the same dtype; absent for NumPy itself
"""
import dataclasses
import re
import typing

CENTERED = ("layer_norm", "add_layer_norm", "batch_norm", "group_norm", "instance_norm")
NARROW = ("float16", "bfloat16")
NOT_FINITE = ("nan", "inf", "-inf")
HELD = ("passed", "not_verified")  # outcomes without a failed element
FINDING, FALSE_ALARM = "finding", "false alarm"


def always(failure):
    del failure
    return True


def holds(*names):
    """Returns a predicate: whether each of these answers to the same question has no failed element."""
    return lambda failure: all(failure["evidence"].get(name) in HELD for name in names)


def says(pattern):
    """Returns a predicate: whether the text of the failure contains a pattern."""
    return lambda failure: re.search(pattern, failure["text"]) is not None


def has_special_input(failure):
    return any(trait.endswith(":special") for trait in failure["traits"])


def returns_zero_for_nan(failure):
    """Whether an input has a NaN or an infinity, and each failed output is NaN or 0, and one is 0."""
    got = {tensor["got"] for tensor in failure["tensors"]}
    return has_special_input(failure) and "0.0" in got and got <= {"0.0", "nan"}


def has_trait(name):
    """Returns a predicate: whether the values of the question have a trait."""
    return lambda failure: name in failure["traits"]


def passes_in_numpy_with(trait):
    """Returns a predicate: whether the values have a trait, and the formula in NumPy passes."""
    return lambda failure: trait in failure["traits"] and holds("numpy")(failure)


def failed_outputs(failure):
    return {tensor["name"] for tensor in failure["tensors"]}


def is_off_by_at_most(ratio):
    """Returns a predicate: whether NumPy passes, and no failed output is farther off than `ratio` times its bound."""
    return lambda failure: holds("numpy")(failure) and all(float(tensor["ratio"]) <= ratio for tensor in failure["tensors"])


def is_all_nan(failure):
    """Whether each failed output is NaN."""
    return {tensor["got"] for tensor in failure["tensors"]} == {"nan"}


@dataclasses.dataclass(frozen=True)
class Reason:
    """A sentence, and the failures that it explains.

    kind             FINDING if the failure is true; FALSE_ALARM if normproof is wrong
    implementation   the implementation, or "" for any
    ops, dtypes      the operations and dtypes, or () for any
    predicate        what else a failure must fulfil
    """
    name: str
    kind: str
    sentence: str
    implementation: str = ""
    ops: tuple = ()
    dtypes: tuple = ()
    predicate: typing.Callable = always

    def explains(self, failure):
        return (self.implementation in ("", failure["implementation"]) and (not self.ops or failure["op"] in self.ops)
                and (not self.dtypes or failure["dtype"] in self.dtypes) and self.predicate(failure))


REASONS = (
    Reason("forward_alone", FALSE_ALARM, "Without `grad_y`, the case fails with a sentence about `grad_x`.",
           predicate=says("tensor 'grad_x' holds 0 bytes")),
    Reason("torch_refuses", FINDING, "PyTorch refuses eps = 0 in training, and samples of one token.", "torch",
           predicate=says("raised ValueError: (Expected more than 1|batch_norm eps must be positive)")),
    Reason("torch_16_bits", FINDING, "PyTorch adds up in 16 bits and rounds between its steps. The same function passes if it "
           "computes in float32 and rounds at the end.", "torch", dtypes=NARROW, predicate=holds("wider")),
    Reason("torch_folded", FINDING, "PyTorch computes x r - m r in place of (x - m) r. The question passes with "
           "`formula=\"folded\"`.", "torch", CENTERED, predicate=holds("folded")),
    Reason("torch_16_bits_folded", FINDING, "PyTorch adds up in 16 bits, and computes x r - m r in place of (x - m) r. "
           "Only both together explain the failure.", "torch", CENTERED, NARROW, holds("wider_folded")),
    Reason("torch_gelu", FINDING, "The erf of oneDNN is up to nine units of 2^-24 off.", "torch", ("gelu", "geglu"),
           ("float32",), holds("wider", "numpy")),
    Reason("torch_attention_nan", FINDING, "`F.scaled_dot_product_attention` without a mask returns 0 for a query whose "
           "scores are all NaN. With a mask it returns NaN.", "torch", ("attention",), predicate=returns_zero_for_nan),
    Reason("masked_row", FINDING, "A row whose elements are all masked is 0. PyTorch and JAX return NaN.",
           ops=("softmax", "log_sum_exp"), predicate=passes_in_numpy_with("valid:empty_row")),
    Reason("torch_ignored_rows", FINDING, "The gradient of a row that takes no part in the loss is 0. In PyTorch it is NaN if "
           "the logits of the row have a NaN or an infinity.", "torch", ("cross_entropy",), predicate=lambda failure: (
               has_special_input(failure) and holds("numpy")(failure) and is_all_nan(failure)
               and failed_outputs(failure) == {"grad_logits"}
               and {tensor["exact"] for tensor in failure["tensors"]} <= {"0.0", "0"})),
    Reason("torch_square_overflows", FINDING, "PyTorch squares x before it subtracts the mean, so that y is NaN for |x| above "
           "1.8e19 in float32. NumPy passes.", "torch", CENTERED,
           predicate=lambda failure: passes_in_numpy_with("x:square_overflows")(failure) and is_all_nan(failure)),
    Reason("rsqrt_derivative", FINDING, "The derivative of rsqrt and of 1/sqrt in PyTorch and JAX is a cube that underflows "
           "for large x, so that grad_x lacks the mean of g x_hat, or a part of it. NumPy passes.",
           predicate=lambda failure: holds("numpy")(failure) and (
               says("mean of g x_hat: dropped")(failure)
               or has_trait("x:cube_of_rstd_underflows")(failure) and failed_outputs(failure) == {"grad_x"})),
    Reason("jax_flushes", FINDING, "XLA on a CPU flushes subnormal numbers to 0. The question passes with "
           "`flush_subnormals=True`.", "jax", predicate=holds("flushed")),
    Reason("jax_tanh", FINDING, "XLA's tanh on a CPU is up to 6.5 units in the last place off in float64, and 4.3 in float32. "
           "The bound allows 2, and 1 - tanh^2 cancels.", "jax", ("dyt", "gelu_tanh"), ("float64", "float32"),
           is_off_by_at_most(4)),
    Reason("optax_square_overflows", FINDING, "optax squares the gradient before it multiplies by 1 - beta2, which overflows. "
           "It passes if it computes in float64.", "jax", ("adam", "adamw"), ("float32",),
           lambda failure: holds("wider")(failure) and "inf" in {tensor["got"] for tensor in failure["tensors"]}),
    Reason("jax_masked_query", FINDING, "`jax.nn.dot_product_attention` returns the mean of all values for a query whose keys "
           "are all masked. The output is 0.", "jax", ("attention",), predicate=passes_in_numpy_with("q:sees_no_key")),
    Reason("jax_attention", FINDING, "`jax.nn.dot_product_attention` computes its softmax in float32, even in float64.",
           "jax", ("attention",), ("float64",), holds("numpy")),
    Reason("jax_attention_16_bits", FINDING, "`jax.nn.dot_product_attention` rounds the weights to 16 bits. It passes if it "
           "computes in float32 and rounds at the end.", "jax", ("attention",), NARROW, holds("wider")),
    Reason("jax_attention_16_bits_flushed", FINDING, "It also flushes subnormal weights to 0. Only both together explain the "
           "failure.", "jax", ("attention",), NARROW, holds("wider_flushed")),
)


def find(failure):
    """Returns the first reason that explains a failure, or None."""
    return next((reason for reason in REASONS if reason.explains(failure)), None)


def is_false_alarm(failure):
    """Whether a failure is a false alarm, or has no known reason."""
    reason = find(failure)
    return reason is None or reason.kind == FALSE_ALARM


def without_numbers(text):
    """Returns a sentence with its numbers replaced, so that equal reasons can be counted."""
    text = re.sub(r"own/\S+: ", "", text)
    return re.sub(r"-?\d[\d,.]*(e[-+]?\d+)?", "#", text)[:200]
