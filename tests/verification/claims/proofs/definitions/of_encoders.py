"""Encoders of one layer: encoders.v, lengths.v, last_layer.v, pre_norm_layer.v, paths.v.

encoder_values prints drawn encoders and what the program makes of them. A definition is opened step by step: what the first norm
returns is enclosed first, from that what W_2 takes, and so on, each by Coq.
"""

import subprocess
from fractions import Fraction

from stated import Path, Value, changed, literal

HEAD = """From normproof Require Import encoders lengths last_layer pre_norm_layer paths.
Ltac opened t := eval cbv beta iota zeta delta [sigma_hat sigma_grad sigma_s centred mean variance quadratic_mean dot Sum plus_of sum_of times
  relu_of relu list_of nth INR unit_vector apply_to Nat.eqb Nat.add Nat.mul negated length2 gradient_of_W2 mean_token active] in t.
Ltac enclosed t v :=
  let H := fresh "H" in
  lazymatch v with
  | Rmax ?e 0 =>
    first [let E := fresh "E" in assert (E : t = e) by (change (Rmax e 0 = e); apply Rmax_left; interval with (i_prec 120));
           interval_intro e with (i_prec 120) as H; rewrite <- E in H; clear E
          |assert (t = 0) as H by (change (Rmax e 0 = 0); apply Rmax_right; interval with (i_prec 120));
           assert (0 <= t <= 0) by (rewrite H; split; apply Rle_refl); clear H]
  | _ => interval_intro v with (i_prec 120) as H; change v with t in H
  end.
"""


class Encoder:
    """What encoder_values prints of one case, and its names in Coq."""

    def __init__(self, facts, fields):
        (self.name, tokens, d), self.fields = fields["case"], fields
        self.tokens, self.d, self.facts = int(tokens), int(d), facts
        self.steps = []  # (name, where it is looked at)
        self.base = []
        d = self.d
        if self.tokens == 1:
            self.x = self.drawn(f"list_of {self.row('x')}")
        else:
            self.x = self.drawn(f"fun t i : nat => list_of {self.row('x')} (t * {d} + i)%nat")
        self.g = self.drawn(f"list_of {self.row('grad_y')}")
        self.U, self.W, self.V = (self.drawn(f"fun i j : nat => list_of {self.row(w)} (i * {d} + j)%nat") for w in ("W_V", "W_1", "W_2"))
        eps = float.fromhex(fields["eps"][0])
        self.eps = literal(eps) if eps else "0"
        self.LN = f"(fun z : nat -> R => sigma_hat {d} z {self.eps})"

    def row(self, name):
        return "[" + "; ".join(literal(float.fromhex(v)) for v in self.fields[name]) + "]"

    def drawn(self, term):
        self.base.append(self.facts.named(term))
        return self.base[-1]

    def step(self, term, at=None):
        """Names a vector that is enclosed, element by element, before what comes after it."""
        name = self.facts.named(term)
        self.facts.names.remove(name)
        self.steps.append((name, range(self.d) if at is None else at))
        return name

    def positive(self):
        """Which elements of W_1 v are above 0."""
        return [float.fromhex(v) > 0 for v in self.fields["feed_forward.active"][::2]]

    def value(self, what, term, through, tensor, at=0, group="", wrong=""):
        """The term, which is `through` by definition: the values of the steps so far."""
        low, high = (float.fromhex(v) for v in self.fields[tensor][2 * at:2 * at + 2])
        base = " ".join(self.base)
        steps = tuple(f"let v := eval cbv delta [{name} {base}] in ({name} {i}%nat) in let w := opened v in enclosed ({name} {i}%nat) w"
                      for name, elements in self.steps for i in elements)
        end = (f"match goal with |- ?l <= ?t <= ?h => let v := eval cbv delta [{base}] in t in let w := opened v in "
               "change (l <= w <= h); interval with (i_prec 120) end")
        return Value(f"{self.name}-norm {what}", term, low, high, path=Path(group or self.name, through, steps, end), wrong=wrong)

    def norm(self, y):
        """s and x_hat of LN at y, enclosed."""
        s = self.step(f"fun _ : nat => sigma_s {self.d} {y} {self.eps}", (0,))
        return s, self.step(f"fun i : nat => centred {self.d} {y} i / {s} 0%nat")


def jacobian(d, y, eps):
    return f"(fun i j : nat => sigma_grad {d} {y} (unit_vector j) {eps} i)"


def jacobian_of(d, s, hat):
    """The same, by s and x_hat."""
    return (f"(fun i j : nat => (unit_vector j i - mean {d} (unit_vector j) - {hat} i * (dot {d} (unit_vector j) {hat} / INR {d}))"
            f" / {s} 0%nat)")


def branch(encoder):
    """W_2 diag(1 where W_1 v is above 0) W_1."""
    active = "list_of [" + "; ".join("1" if p else "0" for p in encoder.positive()) + "]"
    return f"(fun i j : nat => Sum {encoder.d} (fun k => {encoder.V} i k * ({active} k * {encoder.W} k j)))"


def by_layer(first, second):
    return f"(fun k : nat => match k with O => {first} | _ => {second} end)"


def of_post_norm(e):
    d, LN = e.d, f"(fun _ : nat => {e.LN})"
    F = by_layer(f"times {d} {e.U}", f"(fun z : nat -> R => times {d} {e.V} (relu_of (times {d} {e.W} z)))")
    W, V = f"(fun _ : nat => {e.W})", f"(fun _ : nat => {e.V})"
    before = f"(plus_of {e.x} (times {d} {e.U} {e.x}))"
    y0 = e.step(before)
    s0, x1 = e.norm(y0)
    yield e.value("LN(x + W_V x)[0]", f"{e.LN} {before} 0%nat", f"{x1} 0%nat", "norm1.y", 0)
    a = e.step(f"active {d} {W} {x1} true 0")
    yield e.value("a[1]", f"active {d} {W} {x1} true 0 1%nat", f"{a} 1%nat", "feed_forward.active", 1)
    state = f"last_state {d} {W} {V} {x1} true 0 0"
    y1 = e.step(f"plus_of {x1} (times {d} {e.V} {a})")
    yield e.value("state[0]", f"{state} 0%nat", f"{y1} 0%nat", "norm2.x", 0)
    s1, x2 = e.norm(y1)
    yield e.value("y[2]", f"post_state {LN} {F} {e.x} 2 2%nat", f"{x2} 2%nat", "y", 2)
    yield e.value("dL/dW_2[0][1]", f"gradient_of_W2 {d} ({state}) (active {d} {W} {x1} true 0) {e.g} 0 1",
                  f"({e.g} 0%nat - mean {d} {e.g} - {x2} 0%nat * (dot {d} {e.g} {x2} / INR {d})) / {s1} 0%nat * {a} 1%nat", "grad_W_2", 1)
    A, B = by_layer(jacobian(d, before, e.eps), jacobian(d, y1, e.eps)), by_layer(e.U, branch(e))
    inner = e.step(f"sum_of (unit_vector 1) (apply_to {d} {e.U} (unit_vector 1))")
    v1 = e.step(f"apply_to {d} {jacobian_of(d, s0, x1)} {inner}")
    v2 = e.step(f"sum_of {v1} (apply_to {d} {branch(e)} {v1})")
    yield e.value("dL/dx[1]", f"dot {d} {e.g} (interleaved {d} {A} {B} 2 (unit_vector 1))",
                  f"dot {d} {e.g} (apply_to {d} {jacobian_of(d, s1, x2)} {v2})", "grad_x", 1)


def of_pre_norm(e):
    d, LN = e.d, f"(fun _ : nat => {e.LN})"
    F = by_layer(f"times {d} {e.U}", f"(fun z : nat -> R => times {d} {e.V} (relu_of (times {d} {e.W} z)))")
    U, W, V = (f"(fun _ : nat => {w})" for w in (e.U, e.W, e.V))
    s1, h1 = e.norm(e.x)
    w = e.step(f"plus_of {e.x} (times {d} {e.U} {h1})")
    yield e.value("x + W_V LN(x)[1]", f"attended {d} {U} {e.LN} 0 {e.x} 1%nat", f"{w} 1%nat", "norm2.x", 1)
    s2, h2 = e.norm(w)
    a = e.step(f"active {d} {W} {h2} true 0")
    for i in range(d):
        yield e.value(f"a[{i}]", f"taken {d} {U} {W} {e.LN} 0 true 0 {e.x} {i}%nat", f"{a} {i}%nat", "feed_forward.active", i)
    through = f"plus_of {w} (times {d} {e.V} {a})"
    yield e.value("state[0]", f"left_by {d} {U} {W} {V} {e.LN} 0 true 0 0 {e.x} 0%nat", f"{through} 0%nat", "y", 0)
    yield e.value("y[1]", f"pre_state {LN} {F} {e.x} 2 1%nat", f"{through} 1%nat", "y", 1)
    A, B = by_layer(jacobian(d, e.x, e.eps), jacobian(d, w, e.eps)), by_layer(e.U, branch(e))
    v1 = e.step(f"sum_of (unit_vector 0) (apply_to {d} {e.U} (apply_to {d} {jacobian_of(d, s1, h1)} (unit_vector 0)))")
    yield e.value("dL/dx[0]", f"dot {d} {e.g} (pre_product {d} {A} {B} 2 (unit_vector 0))",
                  f"dot {d} {e.g} (sum_of {v1} (apply_to {d} {branch(e)} (apply_to {d} {jacobian_of(d, s2, h2)} {v1})))", "grad_x", 0)


WRONG_SIGN = changed("lengths.v", ("after_layer",), "plus_of w (times d V (relu_of (times d W (LN w))))",
                     "fun i => w i - times d V (relu_of (times d W (LN w))) i")


def of_two_tokens(e):
    d = e.d
    for t in range(e.tokens):
        e.steps = []
        m = e.step(f"mean_token {e.tokens} (fun j => {e.LN} ({e.x} j))")
        w = e.step(f"plus_of ({e.x} {t}%nat) (times {d} {e.U} {m})")
        h = e.norm(w)[1]
        a = e.step(f"relu_of (times {d} {e.W} {h})")
        yield e.value(f"layer of two tokens, [{t}][1]", f"after_layer {e.tokens} {d} {e.U} {e.W} {e.V} {e.LN} {e.x} {t}%nat 1%nat",
                      f"plus_of {w} (times {d} {e.V} {a}) 1%nat", "y", t * d + 1, f"{e.name}{t}", wrong=WRONG_SIGN)


def cases(encoder_values):
    """What encoder_values prints: the name of a case -> the name of a line -> its words."""
    printed = subprocess.run([encoder_values], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in printed.splitlines():
        name, *words = line.split()
        if name == "case":
            fields = found[words[0]] = {}
        fields[name] = words
    return found


def values(fields_of, facts):
    facts.text += HEAD
    for name, stated in (("post", of_post_norm), ("pre", of_pre_norm), ("pre_of_two", of_two_tokens)):
        yield from stated(Encoder(facts, fields_of[name]))
