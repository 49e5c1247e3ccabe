"""Tests modules and functions of Debian's PyTorch with their conventions, and user-written modules."""
import functools
import math
import sys
import types

import kernels
import pytest

import normproof

torch = pytest.importorskip("torch")
F = torch.nn.functional
torch.set_num_threads(1)


@pytest.mark.parametrize("fn, op, conventions", [
    (torch.nn.LayerNorm, "layer_norm", ("weight is gamma", "bias is beta")),
    (F.layer_norm, "layer_norm", ("input is x", "weight is gamma")),
    (torch.nn.GroupNorm, "group_norm", ("channels are the axis after the samples", "num_groups is groups")),
    (F.group_norm, "group_norm", ("channels are the axis after the samples",)),
    (torch.nn.InstanceNorm1d, "instance_norm", ("1 axes behind them",)),
    (torch.nn.InstanceNorm2d, "instance_norm", ("2 axes behind them",)),
    (F.instance_norm, "instance_norm", ("channels are the axis after the samples",)),
    (torch.nn.BatchNorm1d, "batch_norm", ("running_var is running_variance", "momentum is 1 - running_decay")),
    (torch.nn.BatchNorm3d, "batch_norm", ("3 axes behind them",)),
    (F.batch_norm, "batch_norm", ("the running variance is the unbiased one",)),
    (F.softmax, "softmax", ("dim is -1",)), (F.log_softmax, "log_softmax", ()), (torch.nn.GELU, "gelu", ()),
    (F.gelu, "gelu", ()), (F.relu, "relu", ()), (torch.nn.SiLU, "silu", ())])
def test_layers_of_pytorch_pass_unless_a_row_has_one_feature(fn, op, conventions):
    # gelu of later releases is off by up to twice its bound in the tails: docs/generated/board.md
    report = (normproof.check(fn, op, dtype="float32", only=["random*", "odd*"]) if op == "gelu" else
              normproof.check(fn, op, dtype="float64"))
    assert all("one_feature" in result.path or "lone_feature" in result.path for result in report.failures), str(report)
    assert sum(result.passed for result in report.results) > len(report.results) // 2
    for convention in conventions:
        assert convention in "; ".join(report.conventions)
    assert "grad_x" in str(report)


@pytest.mark.parametrize("fn, op", [
    (torch.sigmoid, "sigmoid"), (F.logsigmoid, "log_sigmoid"), (torch.nn.LogSigmoid, "log_sigmoid"), (F.softplus, "softplus"),
    (torch.nn.Softplus, "softplus"), (torch.tanh, "tanh"), (F.mish, "mish"), (torch.nn.Mish, "mish"),
    (lambda x: F.relu(x).square(), "squared_relu")])
def test_activations_of_exponentials_pass(fn, op):
    # The threshold of 20 that PyTorch's softplus has by default shows in float64.
    report = normproof.check(fn, op, dtype="float32" if op == "softplus" else ["float64", "float32"])
    assert report, str(report)
    assert "grad_x" in str(report)


def test_the_tails_of_activations_are_judged_by_a_stable_formula():
    assert normproof.check(F.softplus, "softplus", formula="stable"), "log1p"

    def softplus(x, beta, threshold):
        v = beta * x
        return torch.where(v > threshold, x, (v.clamp(min=0) + torch.log(1 + torch.exp(-v.abs()))) / beta)
    # The gradient of |v| at 0 is no part of this test.
    assert normproof.check(softplus, "softplus", outputs="y")
    assert not normproof.check(softplus, "softplus", outputs="y", formula="stable")


def test_gradients_of_functions_are_judged():
    def attention(query, key, value, scale=None):
        query, key, value = (tensor.double() for tensor in (query, key, value))
        key, value = (tensor.repeat_interleave(query.shape[1] // key.shape[1], 1) for tensor in (key, value))
        scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
        return torch.softmax(scores, -1) @ value

    def add_layer_norm(x, residual, weight, bias, eps):
        total = x + residual
        return F.layer_norm(total, total.shape[-1:], weight, bias, eps), total
    for fn, op, gradients in ((attention, "attention", {"grad_q", "grad_k", "grad_v"}),
                              (F.cross_entropy, "cross_entropy", {"grad_logits"}),
                              (add_layer_norm, "add_layer_norm", {"grad_x", "grad_gamma", "grad_beta"})):
        report = normproof.check(fn, op, dtype=torch.float64)
        assert not [result for result in report.failures if "one_feature" not in result.path], str(report)
        held = [result for result in report.results if result.passed]
        assert len(held) > 3 and all(gradients <= {tensor["name"] for tensor in result.tensors} for result in held)
    without_sum = normproof.check(lambda *given: add_layer_norm(*given)[0], "add_layer_norm", framework="torch",
                                  only="random*", arguments=["x", "residual", "gamma", "beta", "eps"])
    assert "returns no sum, of which the case has a gradient; expected y and sum, or outputs='y'" in str(
        without_sum.declined[0])


def test_an_absent_device_is_a_usage_error():
    with pytest.raises(normproof.UsageError, match="PyTorch .* has no device 'cuda:99' here"):
        normproof.check(F.relu, "relu", device="cuda:99")


@pytest.mark.parametrize("fn, op", [(torch.nn.GroupNorm, "group_norm"), (torch.nn.BatchNorm2d, "batch_norm"),
                                    (F.group_norm, "group_norm"), (F.batch_norm, "batch_norm")])
def test_images_pass_in_both_layouts_of_memory(fn, op):
    report = normproof.check(fn, op, only="channels_*")
    assert report and sum(result.passed for result in report.results) >= 3, str(report)


def test_an_image_with_channels_last_keeps_its_order_in_memory():
    seen = set()

    def group_norm(x, num_groups, weight, bias, eps):
        seen.add(x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous())
        return F.group_norm(x, num_groups, weight, bias, eps)

    assert normproof.check(group_norm, "group_norm", only="channels_last-*") and seen == {True}
    seen.clear()
    assert normproof.check(group_norm, "group_norm", only="channels_first-*") and seen == {False}


def test_statistics_over_the_wrong_axis_of_an_image_fail():
    def layer_norm_for_group_norm(x, num_groups, weight, bias, eps):
        rows = x.movedim(1, -1)
        return F.layer_norm(rows, rows.shape[-1:], weight, bias, eps).movedim(-1, 1)

    assert not normproof.check(layer_norm_for_group_norm, "group_norm", only="channels_*")


def test_a_builtin_function_is_named_as_users_import_it():
    report = normproof.check(F.gelu, "gelu", only="random*")
    assert report.title == "torch.nn.functional.gelu" and "from torch.nn.functional import gelu" in report.repro()


def test_the_failure_with_one_feature_is_explained_by_the_folded_formula():
    report = normproof.check(torch.nn.LayerNorm, "layer_norm", only="one_feature*")
    assert "folded form" in report.failures[0].text
    assert normproof.check(torch.nn.LayerNorm, "layer_norm", only="one_feature*", formula="folded")


class RMSNorm(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        wide = hidden_states.to(torch.promote_types(hidden_states.dtype, torch.float32))
        rstd = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return (self.weight.to(wide.dtype) * (wide * rstd)).to(hidden_states.dtype)


def test_a_module_without_beta_and_its_factory_pass():
    for fn in (RMSNorm, lambda features, eps: RMSNorm(features, eps=eps)):
        report = normproof.check(fn, "rms_norm", dtype=["float32", "bfloat16"], only="[orv]*", framework="torch")
        assert report and "takes no beta" in str(report) and "a module for each case" in str(report)


class RMSNormOfS(RMSNorm):
    def __init__(s, dim, eps=1e-6):
        super(RMSNormOfS, s).__init__(dim, eps)


def test_the_first_parameter_of_a_constructor_may_have_any_name():
    assert normproof.check(RMSNormOfS, "rms_norm", dtype="float32", only="random*")


def test_an_instance_of_a_module_is_rejected_in_a_sentence():
    with pytest.raises(normproof.UsageError, match="is a module of one shape and eps; expected its class"):
        normproof.check(torch.nn.LayerNorm(7), "layer_norm")


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_y):
        return 2 * grad_y * (ctx.saved_tensors[0] > 0)


def test_the_backward_of_an_autograd_function_is_judged():
    report = normproof.check(Doubled.apply, "relu", only="random*")
    assert "grad_x" in report.failures[0].text and "y at" not in report.failures[0].text


def test_a_function_without_gradients_is_told_what_is_expected():
    report = normproof.check(lambda x: F.relu(x.detach()), "relu", only="random*")
    assert "y does not depend on x for the framework" in report.failures[0].text
    assert normproof.check(lambda x: F.relu(x.detach()), "relu", only="random*", outputs="y")


def test_an_output_on_another_device_or_of_another_framework_fails():
    report = normproof.check(lambda x: F.relu(x).to("meta"), "relu", only="random*", outputs="y")
    assert "y is on meta; expected on cpu" in report.failures[0].text
    report = normproof.check(lambda x: kernels.relu(x.detach().numpy()), "relu", only="random*", outputs="y", framework="torch")
    assert "y is a ndarray; expected a tensor of PyTorch" in report.failures[0].text


def ignores_the_strides_of_grad_y(x, weight, bias, eps):
    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight, bias):
            ctx.save_for_backward(x, weight, bias)
            return F.layer_norm(x, x.shape[-1:], weight, bias, eps)

        @staticmethod
        def backward(ctx, grad_y):
            first = torch.as_strided(grad_y, (grad_y.shape[-1],), (grad_y.stride(-1),))
            wrong = first.expand(grad_y.shape) if grad_y.stride(0) == 0 and grad_y.stride(-1) == 0 else grad_y
            leaves = [leaf.detach().requires_grad_() for leaf in ctx.saved_tensors]
            with torch.enable_grad():
                y = F.layer_norm(leaves[0], x.shape[-1:], leaves[1], leaves[2], eps)
            scale = 2 if wrong is not grad_y else 1
            return torch.autograd.grad(y, leaves, wrong * scale)
    return Norm.apply(x, weight, bias)


def test_strides_includes_an_expanded_grad_y():
    assert normproof.check(ignores_the_strides_of_grad_y, "layer_norm", only="random*")
    report = normproof.check(ignores_the_strides_of_grad_y, "layer_norm", only="random*", relations="strides")
    assert "grad_y expanded with stride 0" in report.failures[0].text


def gradient_of_x_by_the_other_leaves(x, weight, bias, eps):
    y = F.layer_norm(x, x.shape[-1:], weight, bias, eps)
    return y if weight.requires_grad else y + 0 * y + (y - y.detach())


def test_grad_mask_finds_a_gradient_that_depends_on_the_others():
    assert normproof.check(gradient_of_x_by_the_other_leaves, "layer_norm", only="random*")
    report = normproof.check(gradient_of_x_by_the_other_leaves, "layer_norm", only="random*", relations="grad_mask")
    assert "relation grad_mask: gradients of beta alone: grad_beta" in report.failures[0].text


def test_relations_hold_for_the_layers_of_pytorch():
    for fn in (torch.nn.LayerNorm, F.layer_norm):
        report = normproof.check(fn, "layer_norm", only=["random*", "variance*"], relations="all")
        assert report, str(report)
        assert {result.relation for result in report.relations if result.outcome == "held"} >= {
            "strides", "rank", "grad_mask", "inputs_unchanged", "repeat", "batch", "empty"}


def attention(q, k, v, causal):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(scores.shape[-1] - scores.shape[-2])
        scores = scores.masked_fill(~seen, float("-inf"))
    return torch.softmax(scores, -1) @ v


@pytest.mark.parametrize("fn, op, only, relations", [
    (attention, "attention", ["random-*", "odd*", "causal_more*"], ["batch", "empty", "grad_mask"]),
    (F.cross_entropy, "cross_entropy", ["random-*", "weighted-*"], ["batch", "grad_mask"])])
def test_relations_of_samples_hold_with_gradients(fn, op, only, relations):
    report = normproof.check(fn, op, only=only, relations=relations)
    assert report and {result.outcome for result in report.relations} == {"held"}, str(report)


class KeysOfOneSample(torch.autograd.Function):
    """Attention whose gradient of k is too large if there is one sample."""

    @staticmethod
    def forward(context, q, k, v):
        context.save_for_backward(q, k, v)
        return attention(q, k, v, False)

    @staticmethod
    def backward(context, grad_y):
        with torch.enable_grad():
            leaves = [tensor.detach().requires_grad_() for tensor in context.saved_tensors]
            found = torch.autograd.grad(attention(*leaves, False), leaves, grad_y)
        return found[0], found[1] * (1.01 if len(grad_y) == 1 else 1), found[2]


def test_batch_finds_a_gradient_that_depends_on_the_number_of_samples():
    assert normproof.check(KeysOfOneSample.apply, "attention", only="random-*")
    report = normproof.check(KeysOfOneSample.apply, "attention", only="random-*", relations="batch")
    assert "relation batch: samples split at 1: grad_k at [0, " in report.failures[0].text


def compiler(refuses):
    """Returns a torch.compile whose functions raise when they are called with a tensor that `refuses` selects."""
    def compile_one(fn):
        def call(*values, **named):
            if any(refuses(value) for value in (*values, *named.values()) if torch.is_tensor(value)):
                raise RuntimeError("no headers")
            return fn(*values, **named)
        return call
    return compile_one


@pytest.mark.parametrize("refuses, outcome", [
    (lambda value: True, "not_applicable"), (lambda value: value.dim() > 1, "broken"), (lambda value: False, "held")],
    ids=["nothing", "x + 1", "everything"])
def test_compiled_is_checked_if_anything_can_be_compiled(monkeypatch, refuses, outcome):
    monkeypatch.setattr(torch, "compile", compiler(refuses), raising=False)
    report = normproof.check(F.layer_norm, "layer_norm", only="random-3x5x6-float32", relations="compiled")
    assert [result.outcome for result in report.relations] == [outcome], str(report)


def test_a_function_may_decline_every_case():
    def encoder_layer(case, x):
        if case.options["norm"] != "layer_norm" or case.options["activation"] != "relu" or case.options["dropout"]:
            raise normproof.NotOffered("this layer")
        raise normproof.NotOffered("anything")
    report = normproof.check(encoder_layer, "encoder_layer", dtype="float64", framework="torch")
    assert len(report.declined) == len(report.results) and not report


def model_with_the_gradients_of_the_case(answered):
    """Returns a model with the exact outputs, whose loss depends on each parameter by the exact gradient."""
    def model(case, **given):
        exact = {name: torch.from_numpy(value) for name, value in kernels.exact(case).items()}
        linear = sum((given[name[len("grad_"):]] * value).sum() for name, value in exact.items() if name.startswith("grad_"))
        return answered(exact["logits"], exact["loss"][0] + (linear - linear.detach()))
    return model


@pytest.mark.parametrize("op", ["translator", "language_model"])
@pytest.mark.parametrize("answered, outputs", [
    (lambda logits, loss: loss, {"loss"}), (lambda logits, loss: (logits, loss), {"logits", "loss"}),
    (lambda logits, loss: {"logits": logits, "loss": loss}, {"logits", "loss"})])
def test_gradients_of_the_loss_of_a_model_are_judged(op, answered, outputs):
    path = f"quick/{op}/" + {"translator": "tied_post_layer_norm-3x3-float64",
                             "language_model": "pre_rms_norm-2x3-float32"}[op]
    options = {"dtype": path.rpartition("-")[2], "only": path, "framework": "torch"}
    report = normproof.check(model_with_the_gradients_of_the_case(answered), op, **options)
    assert report and "gradients by the framework" in str(report), str(report)
    assert ("the loss is returned alone: no logits and no state are judged" in str(report)) == (outputs == {"loss"})
    judged = {one["name"] for one in report.results[0].tensors}
    assert {name for name in judged if not name.startswith("grad_")} == outputs and len(judged) > len(outputs) + 10
    doubled = normproof.check(model_with_the_gradients_of_the_case(
        lambda logits, loss: answered(logits, 2 * loss - loss.detach())), op, **options)
    assert "grad_" in doubled.failures[0].text and "loss at" not in doubled.failures[0].text


def test_the_heading_says_if_no_gradient_is_judged():
    model = model_with_the_gradients_of_the_case(lambda logits, loss: (logits, loss))
    named = normproof.check(model, "language_model", outputs="logits,loss", framework="torch")
    assert named and "no gradients: outputs= names none" in str(named) and "by the framework" not in str(named)
    decoding = normproof.check(lambda case: torch.from_numpy(kernels.exact(case)["logits"]), "decoding")
    assert decoding and "no gradients: decoding has none" in str(decoding)
    x = torch.tensor([[0.5, -1.5]])
    assert "no gradients: forward alone" in str(normproof.judge(F.relu, "relu", x=x))
    assert "gradients by the framework" in str(normproof.judge(F.relu, "relu", x=x, grad_y=x))
    wrong = normproof.check(lambda case: torch.from_numpy(kernels.exact(case)["loss"]), "language_model")
    assert "loss does not depend on its inputs for the framework" in wrong.failures[0].text
    assert "expected outputs='loss', backward=" in wrong.failures[0].text


class Gain(torch.nn.Module):
    """An RMSNorm whose parameter has a name of its own."""

    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.gain, self.eps = torch.nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.gain


def test_a_parameter_with_an_unknown_name_is_not_set():
    with pytest.raises(normproof.UsageError, match="has a parameter 'gain' that stands for nothing known; expected arguments="):
        normproof.check(Gain, "rms_norm")
    report = normproof.check(Gain, "rms_norm", arguments={"gain": "gamma"})
    assert report and "gain is gamma" in report.conventions
    kept = normproof.check(Gain, "rms_norm", arguments={"gain": None}, only="random*")
    assert kept, "with its own gain of 1 the module is an RMSNorm without gamma"


def test_an_ambiguous_parameter_is_not_set():
    class Two(torch.nn.Module):
        def __init__(self, dim, eps=1e-6):
            super().__init__()
            self.first, self.second, self.eps = torch.nn.LayerNorm(dim, eps), torch.nn.LayerNorm(dim, eps), eps

        def forward(self, x):
            return self.second(self.first(x))
    with pytest.raises(normproof.UsageError, match="has a parameter 'first.weight' that stands for nothing known"):
        normproof.check(Two, "layer_norm")


class Clamp(torch.autograd.Function):
    """ReLU as an autograd function."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, x * 0)

    @staticmethod
    def backward(ctx, grad_y):
        return torch.where(ctx.saved_tensors[0] > 0, grad_y, grad_y * 0)


apply_clamp = Clamp.apply


def test_autograd_functions_are_called_with_tensors():
    def kernel(x):
        return apply_clamp(x)
    for fn in (Clamp, Clamp.apply, lambda x: Clamp.apply(x), kernel):
        report = normproof.check(fn, "relu", only="random*")
        assert report and "gradients by the framework" in report.conventions, str(report)


@pytest.mark.skipif(not hasattr(torch.autograd.Function, "setup_context"), reason="this PyTorch has no setup_context")
def test_an_autograd_function_with_setup_context_keeps_its_first_argument():
    class Separate(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return torch.where(x > 0, x, x * 0)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad_y):
            return torch.where(ctx.saved_tensors[0] > 0, grad_y, grad_y * 0)
    assert normproof.check(Separate.apply, "relu", only="random*")


def test_functions_without_a_signature_are_read_from_their_docstring():
    report = normproof.check(torch.logsumexp, "log_sum_exp", only="random*")
    assert report and "dim is -1" in report.conventions and report.title == "torch.logsumexp"


def test_an_in_place_kernel_of_torch_is_judged_forward():
    def rms_norm(out, x, w, eps):
        torch.mul(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps), w, out=out)

    def fused_add_rms_norm(x, residual, w, eps):
        residual.add_(x)
        rms_norm(x, residual, w, eps)
    assert normproof.check(rms_norm, "rms_norm")
    report = normproof.check(fused_add_rms_norm, "add_rms_norm")
    assert report and "it overwrites residual with sum" in report.conventions


@pytest.mark.parametrize("kind, op", [(torch.optim.SGD, "sgd"), (torch.optim.Adam, "adam"), (torch.optim.AdamW, "adamw")])
def test_optimizers_are_checked_as_classes(kind, op):
    for extra in ({}, {"foreach": True}):
        report = normproof.check(kind, op, arguments=extra)
        assert report and not report.declined, str(report)

    class Doubled(kind):
        def step(self):
            super().step()
            super().step()
    assert not normproof.check(Doubled, op)
    with pytest.raises(normproof.UsageError, match="is an optimizer, and relu is none"):
        normproof.check(kind, "relu")


def test_the_cross_entropy_of_torch_is_checked_as_a_class():
    report = normproof.check(torch.nn.CrossEntropyLoss, "cross_entropy")
    assert report and len(report.declined) < len(report.results) // 3, str(report)


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.skipif(
    torch.__version__ < "2", reason="this PyTorch has no log_softmax of float16 on a processor"))])
def test_a_loss_may_have_the_dtype_of_its_logits(dtype):
    report = normproof.check(F.cross_entropy, "cross_entropy", dtype=dtype, strict=True)
    assert not report and "pass loss_dtype='logits'" in str(report)
    report = normproof.check(F.cross_entropy, "cross_entropy", dtype=dtype, loss_dtype="logits")
    # The sum of seven losses of 17,703 overflows float16, although their mean does not.
    assert {result.path.split("/")[2] for result in report.failures} <= {"near_largest-7x5-float16"}, str(report)
    assert "pass loss_dtype" not in str(report)

    def smoothed(logits, targets):
        return F.cross_entropy(logits, targets, label_smoothing=0.05)
    assert not normproof.check(smoothed, "cross_entropy", dtype=dtype, loss_dtype="logits", only="random-*")
    logits, targets = torch.randn(8, 64).to(getattr(torch, dtype)), torch.arange(8)
    assert normproof.judge(F.cross_entropy, "cross_entropy", logits=logits, targets=targets, loss_dtype="logits")
    with pytest.raises(normproof.UsageError, match="unknown loss dtype 'bf16'"):
        normproof.check(F.cross_entropy, "cross_entropy", loss_dtype="bf16")


def test_a_module_is_judged_with_its_own_parameters():
    x, grad_y = torch.randn(4, 8), torch.randn(4, 8)
    trained = torch.nn.LayerNorm(8, eps=1e-3)
    with torch.no_grad():
        trained.weight.uniform_(1, 2)
        trained.bias.uniform_(1, 2)
    before = {name: value.clone() for name, value in trained.state_dict().items()}
    report = normproof.judge(trained, "layer_norm", x=x, grad_y=grad_y)
    assert report and {"weight is gamma", "bias is beta"} <= set(report.conventions), str(report)
    assert all(torch.equal(value, before[name]) for name, value in trained.state_dict().items())
    other = normproof.judge(trained, "layer_norm", x=x, eps=1e-5)
    assert not other and "the module keeps eps=0.001, and the case has eps 1e-05" in other.conventions
    assert normproof.judge(Gain(8), "rms_norm", x=x, arguments={"gain": "gamma"})
    with pytest.raises(normproof.UsageError, match="has a parameter 'gain' that stands for nothing known"):
        normproof.judge(Gain(8), "rms_norm", x=x)


def test_a_trained_batch_norm_is_judged_in_its_mode():
    torch.manual_seed(1)
    trained = torch.nn.BatchNorm1d(8)
    trained(torch.randn(9, 8))
    assert normproof.judge(trained, "batch_norm", x=torch.randn(5, 8))
    trained.eval()
    report = normproof.judge(trained, "batch_norm", x=torch.randn(5, 8))
    assert report and "running_var is running_variance" in report.conventions


def test_a_refusal_of_several_dtypes_declines_the_case():
    report = normproof.check(torch.nn.LayerNorm, "layer_norm", only="parameters_in_bfloat16*")
    assert all(result.passed or result.declined for result in report.results), str(report)


def llama_rms_norm(eps_is_inside):
    """Returns the RMSNorm of Llama: x_hat is rounded to the dtype of x before it is multiplied by the weight."""
    def rms_norm(x, weight, eps):
        wide = x.to(torch.float32)
        square = wide.pow(2).mean(-1, keepdim=True)
        root = torch.rsqrt(square + eps) if eps_is_inside else 1 / (torch.sqrt(square) + eps)
        return weight * (wide * root).to(x.dtype)
    return rms_norm


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_norm_may_round_before_gamma_if_it_says_so(dtype):
    right, wrong = llama_rms_norm(True), llama_rms_norm(False)
    assert not normproof.check(right, "rms_norm", dtype=dtype, strict=True)
    report = normproof.check(right, "rms_norm", dtype=dtype, cast_order="before_gamma", strict=True)
    assert report, str(report)
    assert not normproof.check(wrong, "rms_norm", dtype=dtype, cast_order="before_gamma")
    with pytest.raises(normproof.UsageError, match="did you mean 'before_gamma'"):
        normproof.check(right, "rms_norm", dtype=dtype, cast_order="before")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_norm_may_store_its_statistics_in_16_bits_if_it_says_so(dtype):
    def kernel(eps_inside):
        class Kernel(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight, eps):
                wide = x.to(torch.float32)
                square = wide.square().mean(-1, keepdim=True)
                rstd = torch.rsqrt(square + eps) if eps_inside else 1 / (square.sqrt() + eps)
                ctx.save_for_backward(x, weight, rstd.to(x.dtype))
                return (wide * rstd * weight.float()).to(x.dtype)

            @staticmethod
            def backward(ctx, grad_y):
                x, weight, rstd = (tensor.float() for tensor in ctx.saved_tensors)
                x_hat, g = x * rstd, grad_y.float() * weight
                grad_x = rstd * (g - x_hat * (g * x_hat).mean(-1, keepdim=True))
                grad_weight = (grad_y.float() * x_hat).reshape(-1, x.shape[-1]).sum(0)
                return grad_x.to(grad_y.dtype), grad_weight.to(ctx.saved_tensors[1].dtype), None
        return lambda x, weight, eps: Kernel.apply(x, weight, eps)
    assert not normproof.check(kernel(True), "rms_norm", dtype=dtype, strict=True)
    report = normproof.check(kernel(True), "rms_norm", dtype=dtype, cast_order="stored_statistics", strict=True)
    assert report, str(report)
    assert not normproof.check(kernel(False), "rms_norm", dtype=dtype, cast_order="stored_statistics")
    with pytest.warns(normproof.ConventionWarning, match="stored_statistics"):
        assert normproof.check(kernel(True), "rms_norm", dtype=dtype)
    with pytest.raises(normproof.UsageError, match="stored_statistics, and softmax is no norm of rows"):
        normproof.check(F.softmax, "softmax", cast_order="stored_statistics")


def test_a_layer_norm_may_round_before_gamma_if_it_says_so():
    def layer_norm(x, weight, bias, eps):
        wide = x.to(torch.float32)
        centered = wide - wide.mean(-1, keepdim=True)
        x_hat = (centered * torch.rsqrt(centered.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)
        return x_hat if weight is None else weight * x_hat + (0 if bias is None else bias)
    report = normproof.check(layer_norm, "layer_norm", dtype="bfloat16", cast_order="before_gamma", strict=True)
    assert report, str(report)


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
def test_a_module_is_compiled_by_the_relation():
    report = normproof.check(torch.nn.LayerNorm, "layer_norm", only="random-3x5x6-float32", relations="compiled")
    assert report and [relation.outcome for relation in report.relations] == ["held"], str(report)
    called = []

    class Compiled(torch.nn.LayerNorm):
        def forward(self, x):
            if torch.compiler.is_compiling():
                called.append(True)
                return super().forward(x) * 2
            return super().forward(x)
    broken = normproof.check(Compiled, "layer_norm", only="random-3x5x6-float32", relations="compiled")
    assert not broken and "compiled" in str(broken)


def test_methods_of_tensors_need_no_framework_argument():
    def layer_norm(x, w, b, eps):
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt() * w + b
    report = normproof.check(layer_norm, "layer_norm", only="random*")
    assert report and "gradients by the framework" in report.conventions


def test_modules_of_functions_are_checked_as_classes_and_instances():
    for fn, op in ((torch.nn.Softmax, "softmax"), (torch.nn.LogSoftmax, "log_softmax"), (torch.nn.SiLU, "silu"),
                   (torch.nn.SiLU(), "silu"), (torch.nn.ReLU(), "relu")):
        assert normproof.check(fn, op, only="random*"), op


def test_a_factory_of_modules_may_have_members_with_other_names():
    assert normproof.check(lambda d, eps: Gain(d, eps), "rms_norm", only="random*", arguments={"gain": "gamma"})


def test_batch_norm_passes_where_x_has_a_nan_and_the_gradient_is_constant():
    report = normproof.check(torch.nn.BatchNorm1d, "batch_norm", only="nan_in_x*", relations="strides")
    assert report and not report.failures, str(report)


def test_a_tensor_without_values_is_refused():
    for x in (torch.randn(4, 8).to_sparse(), torch.randn(4, 8, device="meta")):
        with pytest.raises(normproof.UsageError, match="x cannot be read"):
            normproof.judge(lambda x: x, "relu", x=x)


def test_a_report_suggests_the_order_of_casts():
    report = normproof.check(llama_rms_norm(True), "rms_norm", dtype="bfloat16", only="random*", strict=True)
    assert not report and 'pass cast_order="before_gamma"' in str(report)


def test_a_function_of_pytorch_is_judged_with_its_own_options():
    x = torch.randn(4, 8)
    report = normproof.judge(F.normalize, "l2_norm", x=x)
    assert report and "eps_placement is floor" in report.conventions
    assert not normproof.judge(F.normalize, "l2_norm", x=x * 1e-8, eps_placement="inside", eps=1e-6)
    report = normproof.judge(F.normalize, "l2_norm", x=x, eps_placement="floor", accumulation="float16")
    assert report and "accumulation is float16" in report.conventions


def test_a_report_suggests_the_folded_form():
    def folded(x, running_mean, running_variance, eps):
        scale = (running_variance + eps).rsqrt()
        return x * scale - running_mean * scale

    x = torch.randn(64, 8) + 1000
    given = dict(x=x, running_mean=torch.full((8,), 1000.0), running_variance=torch.ones(8), eps=0.5,
                 mode="inference")
    report = normproof.judge(folded, "batch_norm", **given)
    assert not report and "pass formula='folded'" in str(report)
    assert normproof.judge(folded, "batch_norm", formula="folded", **given)
    trained = torch.nn.BatchNorm1d(8)
    assert "formula='folded'" not in str(normproof.judge(trained, "batch_norm", x=torch.randn(64, 8)))


def test_a_loss_is_judged_with_its_own_weights_and_smoothing():
    loss = torch.nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]), label_smoothing=0.1)
    logits, targets = torch.randn(5, 3), torch.tensor([0, 1, 2, 1, 0])
    assert normproof.judge(loss, "cross_entropy", logits=logits, targets=targets)
    assert not normproof.judge(loss, "cross_entropy", logits=logits, targets=targets, label_smoothing=0.3)


@pytest.mark.parametrize("kind, op", [(torch.nn.TransformerEncoderLayer, "encoder_layer"),
                                      (torch.nn.TransformerDecoderLayer, "decoder_layer")])
def test_layers_of_transformers_are_understood(kind, op):
    for dtype in ("float64", "float32"):
        report = normproof.check(kind, op, dtype=dtype)
        assert report and not report.failures, str(report)
        assert all("has layer_norm, and no" in result.text or "draws its own dropout masks" in result.text
                   for result in report.declined)
    assert len(next(result for result in report.results if result.passed).tensors) > 12, "the gradients are judged too"

    class Wrong(kind):
        def forward(self, *inputs, **masks):
            return super().forward(*inputs, **masks) * 1.001
    assert not normproof.check(Wrong, op, dtype="float64")


@pytest.mark.parametrize("batch_first, activation", [(True, "relu"), (False, "gelu")])
def test_a_layer_of_a_transformer_is_judged_with_its_own_parameters(batch_first, activation):
    options = {"dropout": 0, "batch_first": batch_first, "activation": activation, "norm_first": batch_first, "dtype": torch.float64}
    x, memory = torch.randn(2, 3, 8, dtype=torch.float64), torch.randn(2, 4, 8, dtype=torch.float64)
    encoder, decoder = torch.nn.TransformerEncoderLayer(8, 2, 12, **options), torch.nn.TransformerDecoderLayer(8, 2, 12, **options)
    assert normproof.judge(encoder, "encoder_layer", x=x, grad_y=x.flip(0))
    assert normproof.judge(encoder, "encoder_layer", x=x, grad_y=x, causal=True, valid=torch.tensor([[1, 1, 0], [1, 1, 1]]).bool())
    assert normproof.judge(decoder, "decoder_layer", x=x, memory=memory, grad_y=x.flip(0))
    encoder.norm1.eps = 1e-3
    encoder.norm2.eps = 2e-3
    assert not normproof.judge(encoder, "encoder_layer", x=x, grad_y=x)


@pytest.mark.parametrize("options, sentence", [
    ({}, "TransformerEncoderLayer draws its own dropout masks in training; expected module.eval\\(\\), or dropout=0"),
    ({"activation": torch.tanh, "dropout": 0}, "TransformerEncoderLayer has the activation tanh; expected relu or gelu")])
def test_a_layer_of_a_transformer_that_no_operation_computes_is_refused(options, sentence):
    x = torch.randn(2, 3, 8)
    with pytest.raises(normproof.UsageError, match=sentence):
        normproof.judge(torch.nn.TransformerEncoderLayer(8, 2, 12, **options), "encoder_layer", x=x, grad_y=x)


REFUSED = [
    (torch.nn.MultiheadAttention, (8, 2), "attention", "has linear maps around its attention, which no operation has; expected a "
     "function of q, k and v, as lambda q, k, v, causal, scale: torch.nn.functional.scaled_dot_product_attention(q, k, v, "
     "is_causal=causal, scale=scale)"),
    (torch.nn.TransformerEncoderLayer, (8, 2), "layer_norm", "computes encoder_layer, and no layer_norm; expected op='encoder_layer', "
     "or torch.nn.LayerNorm"),
    (torch.nn.Transformer, (8, 2), "translator", "computes none of the operations of normproof; expected a function of the tensors "
     "and options of a case by the corpus' names, as lambda **case: ..."),
    (torch.nn.Embedding, (3, 8), "layer_norm", "computes none of the operations of normproof; expected torch.nn.LayerNorm"),
    (torch.nn.Linear, (8, 8), "scale_norm", "computes none of the operations of normproof; expected a function such as "
     "lambda x, gamma, eps: ..."),
    (torch.nn.Dropout, (), "softmax", "computes none of the operations of normproof; expected torch.nn.functional.softmax"),
    (torch.nn.LSTM, (8, 8), "rms_norm", "computes none of the operations of normproof; expected torch.nn.RMSNorm"),
    (torch.nn.LayerNorm, (8,), "cross_entropy", "is a norm, and cross_entropy is none; expected torch.nn.CrossEntropyLoss"),
    (torch.nn.ReLU, (), "swiglu", "is a function of x alone, and swiglu is none; expected a function such as lambda x, gate: ..."),
    (torch.nn.CrossEntropyLoss, (), "relu", "computes cross_entropy, and no relu; expected torch.nn.ReLU"),
    (torch.nn.MSELoss, (), "cross_entropy", "computes none of the operations of normproof; expected torch.nn.CrossEntropyLoss")]


@pytest.mark.parametrize("kind, sizes, op, sentence", REFUSED)
def test_a_module_that_computes_no_such_operation_is_refused_in_one_sentence(kind, sizes, op, sentence):
    needed = normproof.names.tensor_names(op)[0]
    given = {name: torch.randn(2, 8) for name in needed if name in ("x", "logits", "q", "k", "v", "gate")}
    for call in (lambda: normproof.check(kind, op), lambda: normproof.check(kind(*sizes), op),
                 lambda: normproof.judge(kind(*sizes), op, **given) if len(given) == len(needed) else normproof.check(kind, op)):
        with pytest.raises(normproof.UsageError) as caught:
            call()
        assert str(caught.value).partition(": ")[2] == f"torch.nn.{kind.__name__} {sentence}"


def test_a_module_of_a_user_is_never_refused():
    class Linear(torch.nn.Linear):
        def __init__(self, features, eps):
            super().__init__(features, features)

        def forward(self, x):
            return F.layer_norm(x, x.shape[-1:], self.weight[0], self.bias)
    with pytest.raises(normproof.UsageError) as caught:
        normproof.judge(torch.nn.Linear(3, 3), "layer_norm", x=torch.randn(2, 3))
    assert "computes none" in str(caught.value)
    assert "computes none" not in str(normproof.check(Linear, "layer_norm", only="random*"))


def test_a_constructor_that_cannot_be_called_is_refused_in_one_sentence():
    class Norm(torch.nn.Module):
        def __init__(self, features, **options):
            super().__init__()
            self.norm = torch.nn.LayerNorm(**options)
    with pytest.raises(normproof.UsageError, match="Norm cannot be made with features: TypeError: .*missing 1 required .*; "
                       "expected a constructor that takes these, or arguments="):
        normproof.check(Norm, "layer_norm")


@pytest.mark.parametrize("name, op, options, sentence", [
    ("Adam", "adam", {"amsgrad": True}, "Adam with amsgrad=True has another update than adam; expected amsgrad=False"),
    ("AdamW", "adamw", {"maximize": True}, "AdamW with maximize=True has another update than adamw; expected maximize=False"),
    ("SGD", "sgd", {"nesterov": True}, "SGD with nesterov=True has another update than sgd; expected nesterov=False"),
    ("SGD", "sgd", {"dampening": 0.5}, "SGD with dampening=0.5 has another update than sgd; expected dampening=0"),
    ("Adam", "adam", {"weight_decay": 0.1}, "Adam with weight_decay=0.1 has another update than adam; expected weight_decay=0"),
    ("RMSprop", "adam", {}, "RMSprop has no argument betas, which adam needs; expected an optimizer that computes adam"),
    ("RMSprop", "sgd", {}, "torch.optim.RMSprop computes none of sgd, adam, adamw; expected one of torch.optim.SGD, torch.optim.Adam, "
     "torch.optim.AdamW")])
def test_an_optimizer_with_another_update_is_refused_in_one_sentence(name, op, options, sentence):
    with pytest.raises(normproof.UsageError) as caught:
        normproof.check(getattr(torch.optim, name), op, arguments=options)
    assert str(caught.value) == sentence


def test_options_with_the_same_update_are_passed_to_an_optimizer():
    assert normproof.check(torch.optim.AdamW, "adamw", arguments={"amsgrad": False, "foreach": False})


def test_a_batch_norm_with_a_cumulative_average_is_judged_by_the_batches_before():
    module, x = torch.nn.BatchNorm1d(6, momentum=None, dtype=torch.float64), torch.randn(7, 6, dtype=torch.float64)
    for _ in range(4):
        assert normproof.judge(module, "batch_norm", x=x, grad_y=x.flip(0))
        module(torch.randn(8, 6, dtype=torch.float64) + 1)
    assert normproof.judge(module.eval(), "batch_norm", x=x, grad_y=x.flip(0), formula="folded")
    for fn, options in ((torch.nn.BatchNorm1d, {"arguments": {"momentum": None}}),
                        (lambda features, eps: torch.nn.BatchNorm1d(features, eps=eps, momentum=None), {})):
        with pytest.raises(normproof.UsageError, match="with momentum=None averages over all batches before, of which a case has "
                           "none; expected a number, or normproof.judge"):
            normproof.check(fn, "batch_norm", **options)


@pytest.mark.skipif(not hasattr(F, "scaled_dot_product_attention"), reason="PyTorch before 2.0")
def test_a_builtin_function_is_understood_by_its_docstring():
    report = normproof.check(F.scaled_dot_product_attention, "attention", dtype="float64", only=["random*", "odd*", "grouped*"])
    assert report and "is_causal is causal" in str(report)


@pytest.mark.parametrize("fn", [F.cross_entropy, torch.nn.CrossEntropyLoss, torch.nn.CrossEntropyLoss(),
                                lambda logits, targets: F.cross_entropy(logits, targets)], ids=["function", "class", "module", "lambda"])
def test_targets_of_minus_100_are_ignored(fn):
    logits, targets = torch.randn(6, 5), torch.tensor([0, -100, 4, 2, -100, 1])
    report = normproof.judge(fn, "cross_entropy", logits=logits, targets=targets)
    assert report and "rows whose target is -100 take no part" in str(report), str(report)
    assert {"loss", "grad_logits"} == {tensor["name"] for tensor in report.results[0].tensors}

    def takes_them_as_the_first_class(logits, targets):
        return F.cross_entropy(logits, targets.clamp(min=0))
    assert not normproof.judge(takes_them_as_the_first_class, "cross_entropy", logits=logits, targets=targets)
    with pytest.raises(normproof.UsageError, match="targets has the element -1; expected whole numbers from 0 to 4"):
        normproof.judge(fn, "cross_entropy", logits=logits, targets=targets.clamp(min=-1))


@pytest.mark.parametrize("fn", [F.cross_entropy, torch.nn.CrossEntropyLoss])
def test_masked_cases_are_passed_to_a_loss_with_ignore_index(fn):
    report = normproof.check(fn, "cross_entropy")
    assert report and "ignore_index is -100, the target of a row without valid" in str(report)
    assert all("takes no option z_loss" in result.text or "takes no option soft_cap" in result.text for result in report.declined)

    def divides_by_all_rows(logits, targets, ignore_index):
        return F.cross_entropy(logits, targets, ignore_index=ignore_index, reduction="sum") / len(targets)
    wrong = normproof.check(divides_by_all_rows, "cross_entropy", only=["ignored*", "random*"])
    assert [result.passed for result in wrong.results if "random" in result.path] == [True] and not wrong


@pytest.mark.parametrize("options, sentence", [({"reduction": "sum"}, "has reduction='sum', which cross_entropy has not; expected "
                                                "reduction='mean'"),
                                               ({"ignore_index": 0}, "has ignore_index=0, which cross_entropy has not; expected "
                                                "ignore_index=-100")])
def test_a_loss_with_options_that_the_operation_has_not_is_refused(options, sentence):
    with pytest.raises(normproof.UsageError, match=sentence):
        normproof.judge(torch.nn.CrossEntropyLoss(**options), "cross_entropy", logits=torch.ones(2, 3), targets=torch.tensor([0, 1]))


def gradient_of_cross_entropy(logits, targets):
    shares = torch.softmax(logits.detach().double(), -1)
    shares[torch.arange(len(shares)), targets] -= 1
    return (shares / len(shares)).to(logits.dtype)


@pytest.mark.parametrize("fn, op, output", [
    (F.relu, "relu", "grad_x"), (F.cross_entropy, "cross_entropy", "grad_logits"), (F.rms_norm if hasattr(F, "rms_norm") else
     F.softmax, "rms_norm" if hasattr(F, "rms_norm") else "softmax", "grad_x"),
    (lambda x, grad_y: grad_y * (x > 0), "relu", "grad_x"), (gradient_of_cross_entropy, "cross_entropy", "grad_logits")])
def test_a_gradient_may_be_judged_alone(fn, op, output):
    report = normproof.check(fn, op, only=["random*", "odd*"], outputs=output, framework="torch")
    assert report and {tensor["name"] for result in report.results for tensor in result.tensors} == {output}, str(report)
    assert not normproof.check(lambda **given: fn(**given) * 2, op, only="random*", outputs=output, framework="torch",
                               arguments={name: name for name in normproof.names.tensor_names(op)[0]})


def test_a_loss_in_the_dtype_of_16_bit_logits_is_explained():
    report = normproof.check(F.cross_entropy, "cross_entropy", dtype="bfloat16", only="random*", strict=True)
    assert "loss has dtype bfloat16; expected float32 or a wider one" in report.failures[0].text
    assert report.suggestions == ["if the loss should have the dtype of its 16-bit logits, pass loss_dtype='logits'"]
    assert str(report).splitlines()[-2] == "try: " + report.suggestions[0]
    wide = normproof.check(lambda logits, targets: F.cross_entropy(logits.float(), targets), "cross_entropy", dtype="bfloat16")
    assert wide and "16-bit logits" not in str(wide)


@pytest.mark.parametrize("value, described", [("1", True), ("True", True), ("0", False), ("", False)])
def test_the_report_says_that_the_interpreter_of_triton_is_on(monkeypatch, value, described):
    monkeypatch.setenv("TRITON_INTERPRET", value)
    monkeypatch.setitem(sys.modules, "triton", types.ModuleType("triton"))
    report = normproof.check(F.relu, "relu", only="random*")
    assert ("Triton's interpreter is on (TRITON_INTERPRET), which truncates to bfloat16" in str(report)) == described
    assert "Triton" not in str(normproof.check(kernels.relu, "relu", only="random*"))
    monkeypatch.delitem(sys.modules, "triton")
    assert "Triton" not in str(normproof.check(F.relu, "relu", only="random*"))


@pytest.mark.parametrize("fn", [torch.layer_norm, torch.ops.aten.layer_norm, torch.ops.aten.layer_norm.default])
def test_an_operator_without_a_signature_is_called_by_its_schema(fn):
    report = normproof.check(fn, "layer_norm", only=["random*", "odd*"])
    assert report and "normalized_shape is (D,)" in str(report)
    if fn is torch.layer_norm:
        assert str(report).startswith("torch.layer_norm held against")


@pytest.mark.parametrize("fn, op", [(torch.relu, "relu"), (torch.log_softmax, "log_softmax")])
def test_an_operator_that_names_its_tensor_self_is_understood(fn, op):
    assert normproof.check(fn, op, only=["random*", "odd*"])


class PlainNorm:
    """A norm of PyTorch whose class says nothing of PyTorch but in its methods."""

    def __init__(self, features, eps):
        self.weight, self.eps = torch.ones(features), eps

    def __call__(self, x):
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


def test_an_own_class_and_its_objects_are_called_with_tensors():
    report = normproof.check(PlainNorm, "rms_norm", only=["random*", "odd*"])
    assert report and "PyTorch" in str(report)
    held = PlainNorm(8, 1e-3)
    held.weight = torch.linspace(-1, 2, 8)
    assert normproof.judge(held, "rms_norm", x=torch.linspace(-3, 4, 24).reshape(3, 8))


def test_a_partial_optimizer_is_one_step():
    made = functools.partial(torch.optim.AdamW, lr=7.0, foreach=True)
    report = normproof.check(made, "adamw", only="default*")
    assert report and str(report).startswith("functools.partial(torch.optim.AdamW) held") and "foreach is True" in str(report)
    with pytest.raises(normproof.UsageError, match="AdamW with amsgrad=True has another update than adamw"):
        normproof.check(functools.partial(torch.optim.AdamW, amsgrad=True), "adamw")


def test_a_required_bias_of_a_constructor_says_whether_there_is_beta():
    class LayerNorm(torch.nn.Module):
        def __init__(self, ndim, bias):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(ndim))
            self.bias = torch.nn.Parameter(torch.zeros(ndim)) if bias else None

        def forward(self, x):
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)
    assert normproof.check(LayerNorm, "layer_norm", only=["random*", "odd*"])


def test_the_eps_of_normalize_is_a_floor():
    report = normproof.check(F.normalize, "l2_norm", only="eps*")
    assert report and not report.declined and "eps_placement is floor" in report.conventions


@pytest.mark.skipif(not hasattr(F, "scaled_dot_product_attention"), reason="PyTorch before 2.0")
@pytest.mark.parametrize("named", [False, True])
def test_a_causal_mask_of_the_first_keys_is_judged_as_such(named):
    def attention(q, k, v, causal, scale):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
    fn = attention if named else F.scaled_dot_product_attention
    report = normproof.check(fn, "attention", only=["causal*", "random*"])
    assert report and not report.declined and "mask_corner is top_left" in report.conventions
    q, k = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4)
    assert normproof.judge(fn, "attention", q=q, k=k, v=k, causal=True)
    assert not normproof.judge(fn, "attention", q=q, k=k, v=k, causal=True, mask_corner="bottom_right")


def test_a_causal_mask_that_a_function_has_by_itself_is_found():
    def attention(q, k, v):
        seen = torch.ones(q.shape[2], k.shape[2]).tril().bool()
        return ((q @ k.mT) / q.shape[-1] ** 0.5).masked_fill(~seen, -math.inf).softmax(-1) @ v

    def windowed(q, k, v, causal, window_size):
        distance = torch.arange(k.shape[2]) - torch.arange(q.shape[2])[:, None] - k.shape[2] + q.shape[2]
        left, right = ((float("inf") if one < 0 else one) for one in window_size)
        seen = (distance <= (0 if causal else right)) & (-distance <= left)
        return ((q @ k.mT) / q.shape[-1] ** 0.5).masked_fill(~seen, -math.inf).softmax(-1).nan_to_num() @ v
    only = ["causal*", "random*", "window*", "top_left*"]
    report = normproof.check(attention, "attention", only=only, outputs="y")
    assert report and "causal is True" in report.conventions and "mask_corner is top_left" in report.conventions
    assert normproof.check(windowed, "attention", only=only, outputs="y", strict=True)


def test_layers_of_pytorch_refuse_channels_as_the_last_axis():
    with pytest.raises(normproof.UsageError, match="torch.nn.GroupNorm has them as the second; expected no layout="):
        normproof.check(torch.nn.GroupNorm, "group_norm", layout="channels_last")


def test_an_alpha_that_is_not_given_is_alpha0():
    class DyT(torch.nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.alpha, self.weight = torch.nn.Parameter(torch.ones(1) / 2), torch.nn.Parameter(torch.ones(dim))

        def forward(self, x):
            return torch.tanh(self.alpha * x) * self.weight
    for options in ({}, {"alpha0": 1.5}):
        report = normproof.judge(DyT, "dyt", x=torch.linspace(-2, 2, 12).reshape(3, 4), **options)
        assert report and "alpha was not given: alpha0" in str(report), str(report)


def group_norm_of_images(x, num_groups, weight, bias, eps):
    n, c, h, w = x.shape
    grouped = x.reshape(n, num_groups, -1)
    centered = grouped - grouped.mean(-1, keepdim=True)
    y = centered * torch.rsqrt((centered * centered).mean(-1, keepdim=True) + eps)
    return y.reshape(n, c, h, w) * weight.view(1, c, 1, 1) + bias.view(1, c, 1, 1)


def test_a_group_norm_of_images_gets_every_case_as_an_image():
    report = normproof.check(group_norm_of_images, "group_norm", only=["random*", "channels*", "block_edge*"])
    assert report and not report.declined and "x has the axes [N,C,H,W] in every case" in "; ".join(report.conventions)


def test_an_optimizer_that_writes_tensors_of_pytorch_in_place_is_recognized():
    def adamw(p, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay):  # no name of it belongs to torch
        p.mul_(1 - lr * weight_decay)
        exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        p.addcdiv_(exp_avg, (exp_avg_sq / (1 - beta2 ** step)).sqrt().add_(eps), value=-lr / (1 - beta1 ** step))
    report = normproof.check(adamw, "adamw")
    text = "; ".join(report.conventions)
    assert report and "step is iterations + 1, a number from 1" in text and text.startswith("PyTorch")


def test_the_gradients_of_a_packed_x_and_gate_are_judged():
    def silu_and_mul(x):
        half = x.shape[-1] // 2
        return torch.nn.functional.silu(x[..., :half]) * x[..., half:]
    report = normproof.check(silu_and_mul, "swiglu")
    judged = next(result for result in report.results if result.passed)
    assert report and {tensor["name"] for tensor in judged.tensors} == {"y", "grad_x", "grad_gate"}

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return silu_and_mul(x)

        @staticmethod
        def backward(ctx, grad_y):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with torch.enable_grad():
                grad_x, = torch.autograd.grad(silu_and_mul(x), x, grad_y)
            grad_x[..., grad_x.shape[-1] // 2:] *= 2
            return grad_x
    report = normproof.check(lambda x: Doubled.apply(x), "swiglu")
    assert not report and all("grad_gate" in result.text for result in report.failures)


def test_a_function_that_declines_the_first_case_is_still_asked_with_tensors_of_pytorch():
    def kernel(x, weight, bias, eps):
        if x.ndim == 3:
            raise normproof.NotOffered("two axes alone")
        mean = x.mean(-1, keepdim=True)
        return (x - mean) * ((x - mean).pow(2).mean(-1, keepdim=True) + eps).rsqrt() * weight + bias
    report = normproof.check(kernel, "layer_norm", only=["random*", "odd*", "variance*"])
    assert report and report.conventions[0].startswith("PyTorch") and any("two axes" in one.text for one in report.declined)


def test_a_mask_of_its_own_that_aligns_the_last_query_with_the_last_key_is_recognized():
    def attention(q, k, v, causal, sm_scale):
        allowed = torch.ones(q.shape[-2], k.shape[-2]).tril(k.shape[-2] - q.shape[-2]).bool() if causal else None
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=False, scale=sm_scale, attn_mask=allowed)
    if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        pytest.skip("this PyTorch has no attention")
    report = normproof.check(attention, "attention", only=["causal-*", "causal_more_keys*", "chunked_prefill*"])
    assert report and not report.declined and "mask_corner" not in "; ".join(report.conventions)
