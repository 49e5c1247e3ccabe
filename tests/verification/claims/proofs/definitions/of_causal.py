"""Causal encoders, and the norms that they may have: causal.v.

The encoders are those of encoder_values, of one layer and two tokens, W_Q = W_1 and W_K = W_2; the norms are those of
`normproof apply` in training or inference, two or three tokens.
"""

from fractions import Fraction

from of_encoders import Encoder
from stated import Path, Value, changed, enclosures, ends, literal

HEAD = """From normproof Require causal.
Ltac opened_site t := eval cbv beta iota zeta delta [causal.normed causal.batch_norm causal.power_norm_v causal.batch_renorm causal.clamp
  causal.by_old_psi causal.by_running causal.in_groups causal.column sigma_s psi_s psi_hat centred mean variance quadratic_mean dot Sum
  list_of nth INR Nat.add Nat.mul Nat.div Nat.modulo Nat.divmod Nat.sub fst snd tanh sinh cosh] in t.
Ltac of_a_clamp := repeat match goal with
  | |- context [Rmin ?a ?b] => first [rewrite (Rmin_left a b) by interval | rewrite (Rmin_right a b) by interval]
  | |- context [Rmax ?a ?b] => first [rewrite (Rmax_left a b) by interval | rewrite (Rmax_right a b) by interval] end.
"""
BEGIN = "Import causal.\n"
WRONG_SCORE = changed("causal.v", ("weight", "attended", "attention", "post", "pre", "encoder"), "exp (score l h", "exp (- score l h", before=BEGIN)


def of_layer(e, is_post):
    """One layer, the second token; pre-norm, a norm behind it."""
    d = e.d
    site = e.drawn(f"fun (_ : nat -> nat -> R) (r : nat -> R) (i : nat) => 1 * sigma_hat {d} r {e.eps} i + 0")
    e.facts.text += (f"Goal causal.over_a_row {d} {site}. exact (causal.layer_norm {d} {e.eps} (fun _ => 1) (fun _ => 0)). Qed.\n")
    layer = (f"(causal.Build_layer (fun _ r s => dot {d} (times {d} {e.W} r) (times {d} {e.V} s) / sqrt {d}) (fun _ => times {d} {e.U}) "
             f"(fun heads => heads 0%nat) (fun r => times {d} {e.V} (relu_of (times {d} {e.W} r))) {site} {site})")

    def normed(y):
        return e.step(f"fun i : nat => 1 * {e.norm(y)[1]} i + 0")

    rows = [f"({e.x} {t}%nat)" for t in (0, 1)]
    given = rows if is_post else [normed(row) for row in rows]
    seen = f"match s with O => {given[0]} | _ => {given[1]} end"
    weight = e.step(f"fun s : nat => exp (dot {d} (times {d} {e.W} {given[1]}) (times {d} {e.V} ({seen})) / sqrt {d})", (0, 1))
    attended = e.step(f"fun i : nat => Sum 2 (fun s => {weight} s * times {d} {e.U} ({seen}) i) / Sum 2 {weight}")
    h = e.step(f"fun i : nat => {rows[1]} i + {attended} i")
    h, fed = (normed(h),) * 2 if is_post else (h, normed(h))
    a = e.step(f"relu_of (times {d} {e.W} {fed})")
    y = normed(e.step(f"fun i : nat => {h} i + times {d} {e.V} {a} i"))
    final = "(fun _ r => r)" if is_post else site
    yield e.value("y[1][0]", f"causal.encoder {'true' if is_post else 'false'} [{layer}] {final} (fun r => r) {e.x} 1%nat 0%nat",
                  f"{y} 0%nat", "y", 2, wrong=WRONG_SCORE)


def row_text(values):
    return "list_of [" + "; ".join(literal(v) for v in values) + "]"


def of_norms(program, folder, facts, dyadic):
    import numpy as np
    rows, d, eps = 3, 2, Fraction(1, 16)
    e, half = literal(eps), literal(Fraction(1, 2))

    def positive(count):
        return np.abs(dyadic(count)) + 1

    def wrong(name, old, new):
        return changed("causal.v", (name,), old, new, before=BEGIN)

    # a norm, its options and flags, its state, the site, why it is among those of a theorem, and a wrong one
    g, b = "{gamma}", "{beta}"
    for layer, options, flags, state, site, member, fault in (
            ("batch_norm", [], [], {}, f"causal.batch_norm 3 {e} {g} {b}", "", wrong("batch_norm", "r i - mean", "r i + mean")),
            ("batch_norm", [], ["--mode", "inference"], {"running_mean": dyadic(d), "running_variance": positive(d)},
             f"causal.by_running {{running_mean}} {{running_variance}} {e} {g} {b}",
             f"causal.in_inference 2 ({{site}}) by causal.running 2 {{running_mean}} {{running_variance}} {e} {g} {b}",
             wrong("by_running", "r i - m i", "r i + m i")),
            ("power_norm_v", [], [], {}, f"causal.power_norm_v 3 {e} {g} {b}", "", wrong("power_norm_v", "r i / psi_s", "- r i / psi_s")),
            ("power_norm", [], [], {"running_psi2": positive(d)}, f"causal.by_old_psi {{running_psi2}} {e} {g} {b}",
             f"causal.behind_warm_up ({{site}}) by causal.power_norm {{running_psi2}} {e} {g} {b}",
             wrong("by_old_psi", "psi2 i + eps", "psi2 i - eps")),
            ("batch_renorm", ["r_max=1.25", "d_max=0.5"], [], {"running_mean": dyadic(d), "running_variance": positive(d)},
             f"(fun x r i => {g} i * causal.batch_renorm 3 {e} {{running_mean}} {{running_variance}} (5/4) {half} x r i + {b} i)", "",
             wrong("batch_renorm", "+ clamp (- d_max)", "- clamp (- d_max)")),
            ("rms_norm", [], [], {}, f"(fun _ r i => {g} i * psi_hat 2 r {e} i)", f"causal.over_a_row 2 ({{site}}) by causal.rms_norm 2 {e} {g}", wrong("over_a_row", "psi_hat d r eps i)", "- psi_hat d r eps i)")),
            ("scale_norm", [], [], {}, f"(fun _ r i => {g} 0%nat * (r i / sqrt (dot 2 r r + {e})))",
             f"causal.over_a_row 2 ({{site}}) by causal.scale_norm 2 {e} ({g} 0%nat)", wrong("over_a_row", "(dot d r r + eps)", "(dot d r r - eps)")),
            ("group_scaling", ["groups=1"], [], {}, f"(fun _ r => causal.in_groups 2 {e} r)",
             f"causal.over_a_row 2 ({{site}}) by causal.group_scaling 2 2 {e}", wrong("in_groups", "r (i / w", "- r (i / w")),
            ("dyt", [], [], {"alpha": dyadic(1)}, f"(fun _ r i => {g} i * tanh ({{alpha}} 0%nat * r i) + {b} i)",
             f"causal.over_a_row 2 ({{site}}) by causal.dyt 2 ({{alpha}} 0%nat) {g} {b}", wrong("over_a_row", "tanh (alpha", "tanh (- alpha"))):
        x, parameters = dyadic(rows * d), {}
        if layer != "group_scaling":
            parameters["gamma"] = dyadic(1 if layer == "scale_norm" else d)
        if layer not in ("group_scaling", "scale_norm", "rms_norm", "batch_renorm"):
            parameters["beta"] = dyadic(d)
        tensors = {"x": x.reshape(rows, d), **parameters, **state}
        out = enclosures(program, folder, layer, tensors, options + ([] if layer == "dyt" else ["eps=0.0625"]), flags)
        drawn = {"gamma": np.ones(d), "beta": np.zeros(d), **parameters, **state}
        names = {name: facts.named(row_text(values)) for name, values in drawn.items()}
        names["x"] = facts.named(f"fun t i : nat => {row_text(x)} (t * {d} + i)%nat")
        term = site.format(**names)
        if member:
            kind, proof = member.format(site=term, **names).split(" by ")
            facts.text += f"Goal {kind}. exact ({proof}). Qed.\n"
            if "Inductive" in fault:
                fault += f"Goal {kind}. Fail exact ({proof}). Abort.\n".replace("causal.", "")
        term = f"causal.normed ({term}) {names['x']} 2%nat 1%nat"
        end = (f"match goal with |- ?l <= ?t <= ?h => let v := eval cbv delta [{' '.join(names.values())}] in t in let w := opened_site v in "
               "change (l <= w <= h); of_a_clamp; interval with (i_prec 90) end")
        what = f"{layer} {' '.join([*options, *flags])}".strip()
        yield Value(f"the norm of a causal encoder, {what}", term, *ends(out, "y", 5), path=Path(f"site {what}", term, (), end), wrong=fault)


def values(program, folder, fields_of, facts, dyadic):
    facts.text += HEAD
    yield from of_layer(Encoder(facts, fields_of["causal_post"]), True)
    yield from of_layer(Encoder(facts, fields_of["causal_pre"]), False)
    yield from of_norms(program, folder, facts, dyadic)
