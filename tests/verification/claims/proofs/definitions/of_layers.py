"""The layers of one norm, and the recursions of PowerNorm: cells.v, layers.v, lipschitz.v, recursion.v, dyt.v."""

from dataclasses import dataclass
from fractions import Fraction

from stated import Value, enclosures, ends, literal

ROWS, FEATURES = 3, 2
N = ROWS * FEATURES
EPS = Fraction(1, 16)
MASK = [True, False, True]


@dataclass
class Layer:
    """A layer of cells.v: centred or not, its cell, in Coq and here, and what it is drawn with."""
    name: str
    centred: bool
    cell: str
    cell_of: object
    shape: tuple
    masked: bool = False
    affine: bool = True
    options: tuple = ()
    looked_at: tuple = ((), ())  # elements of y, of grad_x


LAYERS = (
    *(Layer(name, centred, cell, cell_of, (ROWS, FEATURES), masked, looked_at=((0, 3), (0, 3))) for name, centred, cell, cell_of, masked in (
        ("batch_norm", True, "(channel_cell 2)", lambda e: e % 2, True),
        ("layer_norm", True, "(row_cell 2)", lambda e: e // 2, False),
        ("power_norm_v", False, "(channel_cell 2)", lambda e: e % 2, True),
        ("rms_norm", False, "(row_cell 2)", lambda e: e // 2, False))),
    # two sentences of two tokens
    *(Layer(name, centred, cell, cell_of, (2, 2, 2), False, affine, options, ((5,), (2,))) for name, centred, cell, cell_of, affine, options in (
        ("group_norm", True, "(sample_group_cell 2 2 1)", lambda e: e // 4, True, ("groups=1",)),
        ("instance_norm", True, "(sample_channel_cell 2 2)", lambda e: e // 4 * 2 + e % 2, True, ()),
        ("group_scaling", False, "(row_group_cell 2 1)", lambda e: e // 2, False, ("groups=1",)))),
)
# the definitions of recursion.v: the state nu and the gradient
RECURSIONS = {
    "power_norm": ("nu_at", "grad_at", []),
    "power_norm_released": ("ema_at", "released_grad_at", ["group_scaling=false"]),
}


def statistics(layer, facts, x, n, size, valid):
    """The mean, the variance or the mean square of every cell, as equations: at every element of the cell."""
    equations = []
    for cell in sorted({layer.cell_of(e) for e in range(n)}):
        members = [e for e in range(n) if layer.cell_of(e) == cell]
        counted = [Fraction(x.values[e]) for e in members if not layer.masked or MASK[e // FEATURES]]
        mean = sum(counted) / len(counted)
        if layer.centred:
            parts = {f"cell_mean {n} {layer.cell} {valid} {x.name} i": mean,
                     f"cell_variance {n} {layer.cell} {valid} {x.name} i": sum((v - mean)**2 for v in counted) / len(counted)}
        else:
            parts = {f"cell_squares {n} {layer.cell} {valid} {size} {x.name} i": sum(v * v for v in counted) / len(counted)}
        for term, value in parts.items():
            name = facts.equation(term, value, "i", f"{layer.cell} i = {cell}%nat")
            equations += [f"({name} {e}%nat eq_refl)" for e in members]
    return tuple(equations)


@dataclass
class Drawn:
    name: str
    values: object


def drawn(facts, values):
    return Drawn(facts.vector(values), values)


def of_cells(program, folder, facts, dyadic, factor):
    import numpy as np
    for layer in LAYERS:
        n, eps = int(np.prod(layer.shape)), literal(EPS * factor)
        x, grad_y = drawn(facts, dyadic(n)), drawn(facts, dyadic(n))
        tensors = {"x": x.values.reshape(layer.shape), "grad_y": grad_y.values.reshape(layer.shape)}
        gamma, beta = drawn(facts, dyadic(FEATURES)), dyadic(FEATURES)
        if not layer.affine:
            gamma = drawn(facts, np.ones(FEATURES))
        else:
            tensors["gamma"] = gamma.values
        if layer.affine and layer.name in ("batch_norm", "layer_norm", "group_norm", "instance_norm"):
            tensors["beta"] = beta
        else:
            beta = np.zeros(FEATURES)
        valid = "all_valid"
        if layer.masked:
            tensors["valid"] = np.array(MASK)
            valid = facts.named("row_valid 2 (fun r => match r with 1%nat => false | _ => true end)")
        out = enclosures(program, folder, layer.name, tensors, ["eps=0.0625", *layer.options])
        size = "" if layer.centred else f"(count {n} {layer.cell} {valid})"
        known = statistics(layer, facts, x, n, size, valid)
        kind = "centred" if layer.centred else "uncentred"
        hat = f"{kind}_hat {n} {layer.cell} {valid} {size} {eps} {x.name}"
        grad = f"{kind}_grad {n} {layer.cell} {valid} {size} {eps} {x.name} (scaled 2 {gamma.name} {grad_y.name})"
        for e in layer.looked_at[0]:
            f = e % FEATURES
            yield Value(f"{layer.name} y[{e}]", f"{literal(gamma.values[f])} * {hat} {e} + {literal(beta[f])}", *ends(out, "y", e), known)
        for e in layer.looked_at[1]:
            yield Value(f"{layer.name} grad_x[{e}]", f"{grad} {e}", *ends(out, "grad_x", e), known)
        if len(layer.shape) == 2:
            of_feature = f"Sum {n} (fun e => unit_vector 1 (feature 2 e) * "
            yield Value(f"{layer.name} grad_gamma[1]", f"{of_feature}({grad_y.name} e * {hat} e))", *ends(out, "grad_gamma", 1), known)
            yield Value(f"{layer.name} grad_beta[1]", f"{of_feature}{grad_y.name} e)", *ends(out, "grad_beta", 1), known)


def of_recursions(program, folder, facts, dyadic):
    """Three steps of two rows of one channel, from psi^2 = 1 and nu = 0."""
    import numpy as np
    for layer, (state, gradient, options) in RECURSIONS.items():
        x, grad_y, gamma = dyadic(6), dyadic(6), dyadic(1)
        out = enclosures(program, folder, layer,
                         {"x": x.reshape(3, 2, 1), "grad_y": grad_y.reshape(3, 2, 1), "gamma": gamma, "beta": np.zeros(1)},
                         ["eps=0.0625", "alpha_forward=0.75", "alpha_backward=0.5", "warmup_iterations=0", *options],
                         ["--sequence"])
        batches = [facts.named("fun t => match t with 0%nat => {} | 1%nat => {} | _ => {} end".format(
            *(facts.vector(v[2 * t:2 * t + 2]) for t in range(3)))) for v in (x, gamma[0] * grad_y)]
        psi2, known = Fraction(1), []
        for t in range(3):
            known.append(facts.equation(f"psi2_at 2 (3/4) {batches[0]} 1 {t}", psi2))
            psi2 = Fraction(3, 4) * psi2 + Fraction(1, 4) * sum(Fraction(v)**2 for v in x[2 * t:2 * t + 2]) / 2
        hat, both = f"(hat_at 2 (3/4) (1/16) {batches[0]} 1 2)", " ".join(batches)
        yield Value(f"{layer} psi^2", f"psi2_at 2 (3/4) {batches[0]} 1 3", *ends(out, "running_psi2", 2))
        for what, term, tensor, at in (
                ("Gamma", f"mean_product 2 {hat} {hat}", "mean_x_hat_squared", 2),
                ("Lambda", f"mean_product 2 ({batches[1]} 2%nat) {hat}", "mean_g_x_hat", 2),
                ("nu", f"{state} 2 (3/4) (1/2) (1/16) {both} 1 0 3", "nu", 2),
                ("grad_x", f"{gradient} 2 (3/4) (1/2) (1/16) {both} 1 0 2 1", "grad_x", 5)):
            yield Value(f"{layer} {what}", term, *ends(out, tensor, at), tuple(known))


def of_one_channel(program, folder, facts, dyadic):
    """The gradient of PN-V that C5 is about: three rows of one channel."""
    x, grad_y, gamma = dyadic(3), dyadic(3), dyadic(1)
    out = enclosures(program, folder, "power_norm_v",
                     {"x": x.reshape(3, 1), "grad_y": grad_y.reshape(3, 1), "gamma": gamma}, ["eps=0.0625"])
    yield Value("power_norm_v of one channel", f"psi_grad 3 {facts.vector(x)} {facts.vector(gamma[0] * grad_y)} (1/16) 1", *ends(out, "grad_x", 1))


def of_dyt(program, folder, dyadic, factor):
    import numpy as np
    x, gamma, beta, alpha = dyadic(N), dyadic(FEATURES), dyadic(FEATURES), Fraction(3, 4)
    out = enclosures(program, folder, "dyt", {"x": x.reshape(ROWS, FEATURES), "gamma": gamma, "beta": beta,
                                              "alpha": np.array([float(alpha)])}, [])
    yield Value("dyt y[1]", f"dyt {literal(alpha * factor)} {literal(gamma[1])} {literal(beta[1])} {literal(x[1])}", *ends(out, "y", 1))


def values(program, folder, facts, dyadic, factor):
    yield from of_cells(program, folder, facts, dyadic, factor)
    yield from of_recursions(program, folder, facts, dyadic)
    yield from of_dyt(program, folder, dyadic, factor)
    yield from of_one_channel(program, folder, facts, dyadic)
