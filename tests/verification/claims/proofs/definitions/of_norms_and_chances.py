"""Operator norms, shares of states and the integral of the normal law: layers.v, lipschitz.v, encoders.v, lengths.v.

An operator norm is enclosed by `normproof lipschitz` between what theory gives and what its own direction attains: Coq proves that
what theory gives lies there, and how many times as long the definition's backward makes that direction.
"""

import subprocess
from fractions import Fraction

from of_encoders import Encoder
from stated import Path, Value, changed, enclosures, literal


class Slice(Encoder):
    """A row or a channel, a gradient, and two numbers between which its operator norm lies."""

    def __init__(self, facts, name, x, g, eps, lower, upper):
        self.name, self.d, self.facts, self.eps = name, len(x), facts, literal(eps)
        self.steps, self.base = [], []
        self.x, self.g = (self.drawn("list_of [" + "; ".join(literal(v) for v in values) + "]") for values in (x, g))
        self.fields = {"norm": [float(lower).hex(), float(upper).hex()]}


def of_operator_norms(program, folder, facts, dyadic):
    import numpy as np
    for layer, kind, shape, eps, part in (("layer_norm", "sigma", (2, 4), Fraction(1, 16), 1), ("batch_norm", "sigma", (3, 2), Fraction(0), 0),
                                          ("power_norm_v", "psi", (3, 2), Fraction(0), 0)):
        x = dyadic(shape[0] * shape[1]).reshape(shape)
        np.savez(folder / "in.npz", x=x)
        subprocess.run([program, "lipschitz", layer, "--in", folder / "in.npz", "--out", folder / "out.npz", "--set", f"eps={float(eps)}"],
                       check=True, capture_output=True)
        out = np.load(folder / "out.npz")
        rows = layer == "layer_norm"
        (own, g), d = ((v[part] if rows else v[:, part]) for v in (x, out["grad_y"])), shape[1 if rows else 0]
        e = Slice(facts, f"{layer}: the operator", own, g, eps, out["lower"][part], out["upper"][part])
        if kind == "sigma":
            s, hat = e.norm(e.x)
            backward = f"({e.g} i - mean {d} {e.g} - {hat} i * (dot {d} {e.g} {hat} / INR {d})) / {s} 0%nat"
        else:
            s = e.step(f"fun _ : nat => psi_s {d} {e.x} {e.eps}", (0,))
            hat = e.step(f"fun i : nat => {e.x} i / {s} 0%nat")
            backward = f"({e.g} i - {hat} i * (dot {d} {e.g} {hat} / INR {d})) / {s} 0%nat"
        yield e.value("by theory", f"/ {kind}_s {d} {e.x} {e.eps}", f"/ {s} 0%nat", "norm", group=layer,
                      wrong=changed("layers.v", (f"{kind}_s",), " x + eps", " x - eps" if eps else " x + 1"))
        made = e.step(f"fun i : nat => {backward}")
        gradient = f"({kind}_grad {d} {e.x} {e.g} {e.eps})"
        yield e.value("by what it attains", f"sqrt (dot {d} {gradient} {gradient}) / sqrt (dot {d} {e.g} {e.g})",
                      f"sqrt (dot {d} {made} {made}) / sqrt (dot {d} {e.g} {e.g})", "norm", group=layer,
                      wrong=changed("layers.v", (f"{kind}_grad",), f"- {kind}_hat", f"+ {kind}_hat"))


def of_shares(program, folder, facts):
    """Of the states (r, -r, 0) those whose ||J_LN||^2 is above d/(E Y/10), Y = ||x||^2, which says Y < E Y/10."""
    import numpy as np
    r = (1, 16, 1, 2)
    out = enclosures(program, folder, "layer_norm", {"x": np.array([[v, -v, 0.0] for v in r])}, ["eps=0"])
    bound = Fraction(3) / (sum(Fraction(2 * v * v) for v in r) / len(r) / 10)
    low, high = ([Fraction(float(v))**2 for v in out[f"rstd_{end}"].reshape(-1)] for end in ("lo", "hi"))
    steep = sum(v > bound for v in low)
    if any(v < bound < w for v, w in zip(low, high)):
        raise ValueError("rstd does not decide which states are steep; expected enclosures beside the bound")
    x = facts.named("fun k i : nat => match i with 0%nat => 1 | 1%nat => -1 | _ => 0 end * list_of [" + "; ".join(map(literal, r)) + "] k")
    lengths = f"(fun k => dot 3 ({x} k) ({x} k))"
    term = f"share_below {len(r)} {lengths} (1/10 * mean {len(r)} {lengths})"
    end = (f"cbv beta iota zeta delta [share_below mean dot Sum list_of nth INR {x}]; "
           "repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try lra end")
    yield Value("the share of steep states", term, Fraction(steep, len(r)), Fraction(steep, len(r)), path=Path("share", term, (), end),
                wrong=changed("encoders.v", ("share_below",), "then 1 else 0", "then 0 else 1"))


def of_chance(fields):
    """P(max ReLU(X)^2 <= 2 ln(100 d)), X ~ N(0, I_d), d = 4: Phi(sqrt(2 ln(100 d)))^d, the integral to infinity being sqrt(pi/2)."""
    low, high = (float.fromhex(v) for v in fields["chance"])
    term = "(/ 2 + bell_integral (sqrt (2 * ln (100 * 4))) / (2 * sqrt (PI / 2)))^4"
    integral = "RInt (fun t => exp (- t^2 / 2)) 0 (sqrt (2 * ln (100 * 4)))"
    steps = ("unfold bell_integral, bell", f"integral_intro ({integral}) with (i_prec 90, i_degree 20, i_fuel 2000, i_width (-75)) as H",
             f"set (b := {integral}) in *")
    yield Value("the chance of E10", term, low, high, path=Path("chance", term, steps, "interval with (i_prec 90)", "From Coquelicot Require Import Coquelicot.\n"),
                wrong=changed("lengths.v", ("bell", "bell_integral"), "exp (- t^2", "exp (t^2"))


def values(program, folder, fields_of, facts, dyadic):
    yield from of_operator_norms(program, folder, facts, dyadic)
    yield from of_shares(program, folder, facts)
    yield from of_chance(fields_of["chance"])
