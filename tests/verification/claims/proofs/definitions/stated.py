"""What is stated of the theorems' definitions at drawn inputs: each value lies in the program's enclosure.

A Value is a term of Coq, the enclosure that it is to lie in, and equations that Coq has proved of parts of the term, the rational
ones: what is left to interval arithmetic is small. Facts are the lemmas that say so, and the names of the drawn vectors.
"""

import re
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path as File

PROOFS = File(__file__).resolve().parents[5] / "verification" / "claims" / "proofs"
HEAD = """From Coq Require Import Reals List Lra.
From Interval Require Import Tactic.
From normproof Require Import sums layers cells lipschitz dyt recursion.
Import ListNotations.
Open Scope R_scope.
Ltac all_of_it :=
  unfold cell_variance, cell_mean, cell_squares, count, member, beside, own, scaled, feature, channel_cell, row_cell, row_group_cell,
    sample_channel_cell, sample_group_cell, row_valid, all_valid, dyt, tanh, sinh, cosh, mean_product, psi_grad, psi_hat, psi_s,
    quadratic_mean, dot, unit_vector, list_of; simpl.
Ltac parts :=
  unfold centred_grad, uncentred_grad, centred_hat, uncentred_hat, grad_at, released_grad_at, rest_at, released_rest_at;
  cbn [Sum nu_at ema_at]; unfold hat_at.
"""


@dataclass
class Value:
    what: str
    term: str
    low: float
    high: float
    equations: tuple = ()  # of parts of the term, as Coq knows them
    path: object = None    # another proof than by these: a Path
    wrong: str = ""        # what stands before the same term of a wrong definition, which must not be proved

    def text(self, names):
        """As a goal of Coq, with the vectors that names has."""
        if self.path:
            return together([self])
        rewrites = f" rewrite {', '.join('?' + equation for equation in self.equations)}." if self.equations else ""
        drawn = f" cbv delta [{' '.join(names)}]." if names else ""
        return (f"Goal {literal(self.low)} <= {self.term} <= {literal(self.high)}.\n"
                f"Proof. parts.{rewrites}{drawn} cbn [psi2_at]. all_of_it. interval with (i_prec 90). Qed.\n")


@dataclass
class Path:
    """How a value is enclosed step by step: the term that it is by definition, what encloses the steps, and what is left."""
    group: str
    through: str
    steps: tuple
    end: str
    imports: str = ""  # what only this proof imports


def goal(value, term):
    return f"{literal(value.low)} <= {term} <= {literal(value.high)}"


def together(values):
    """Values of one group as one goal, for the steps of the last are those of all."""
    goals = " /\\ ".join(goal(v, v.term) for v in values)
    changes = " ".join(f"change ({v.term}) with ({v.path.through})." for v in values)
    last = values[-1].path
    steps = " ".join(f"{step}." for step in last.steps)
    begin, finish = (f"Module Of_{last.group}.\n{last.imports}", f"End Of_{last.group}.\n") if last.imports else ("", "")
    return f"{begin}Goal {goals}.\nProof. {changes} {steps} repeat match goal with |- _ /\\ _ /\\ _ => split | |- (_ <= _ <= _) /\\ _ => split end; {last.end}. Qed.\n{finish}"


def wrong_of(value, number):
    """The goal of a value whose definition is wrong, with a proof that Coq is to refuse; the goal of value.wrong where it has one."""
    term, through = (text.replace("causal.", "") for text in (value.term, value.path.through))
    names = " ".join(re.findall(r"^(?:Definition|Fixpoint) (\w+)", value.wrong, re.MULTILINE))
    first = f"cbv beta delta [{names}]" if term == through else f"change ({term}) with ({through})"
    proof = "; ".join(f"({step})" for step in (first, *value.path.steps, value.path.end))
    refused = "" if "\nGoal " in value.wrong else f"Goal {goal(value, term)}.\nProof. Fail solve [{proof}]. Abort.\n"
    return f"Module Wrong_{number}.\n{value.path.imports}{value.wrong}{refused}End Wrong_{number}.\n"


def changed(file, names, old, new, section="", before=""):
    """The definitions of these names as the file has them, but for new in the place of old; in a section, with its variables."""
    source = (PROOFS / file).read_text(encoding="utf-8")
    text = "".join(re.search(rf"^(?:Definition|Fixpoint|Inductive) {name}\b.*?\.\n", source, re.DOTALL | re.MULTILINE)[0] for name in names)
    if text.count(old) != 1:
        raise ValueError(f"{file}: {old!r} is {text.count(old)} times in {', '.join(names)}; expected once")
    text = before + text.replace(old, new)
    if not section:
        return text
    variables = re.search(rf"^Section {section}\.\n(Variables .*?\.\n)", source, re.DOTALL | re.MULTILINE)[1]
    return f"Section {section}.\n{variables}{text}End {section}.\n"


def all_of(values, names):
    """The text of all values, those of one group together."""
    text = ""
    for group, members in groupby(values, key=lambda v: v.path and v.path.group):
        members = list(members)
        text += together(members) if group else "".join(v.text(names) for v in members)
    return text


class Facts:
    """Definitions and lemmas that values are stated with."""

    def __init__(self):
        self.text = HEAD
        self.names = []

    def vector(self, values):
        """The name of a vector that has these numbers."""
        return self.named("list_of [" + "; ".join(literal(value) for value in values) + "]")

    def named(self, term):
        self.names.append(f"drawn_{self.text.count('Definition drawn_')}")
        self.text += f"Definition {self.names[-1]} := {term}.\n"
        return self.names[-1]

    def equation(self, term, value, quantified="", given=""):
        """The name of the lemma that the term has the rational value, under what is quantified and given."""
        name = f"equation_{self.text.count('Lemma equation_')}"
        drawn = f" cbv delta [{' '.join(self.names)}]." if self.names else ""
        premise, use = (f"{given} -> ", " unfold count, member, beside. rewrite E.") if given else ("", "")
        self.text += (f"Lemma {name} : {f'forall {quantified}, ' if quantified else ''}{premise}{term} = {literal(value)}.\n"
                      f"Proof. intros{' ' + quantified if quantified else ''}{' E' if given else ''}.{drawn} "
                      f"cbn [psi2_at]. unfold cell_variance, cell_mean, cell_squares.{use} all_of_it. lra. Qed.\n")
        return name


def literal(value):
    value = Fraction(value)
    return f"({value.numerator}/{value.denominator})"


def enclosures(program, folder, layer, tensors, options, flags=()):
    """What `normproof apply --scalar interval` encloses."""
    import numpy as np
    np.savez(folder / "in.npz", **tensors)
    subprocess.run([program, "apply", layer, "--in", folder / "in.npz", "--out", folder / "out.npz", "--scalar", "interval",
                    *flags, *(word for option in options for word in ("--set", option))],
                   check=True, capture_output=True)
    return np.load(folder / "out.npz")


def ends(out, tensor, at):
    """low and high of one element of what is enclosed."""
    return tuple(float(out[f"{tensor}_{end}"].reshape(-1)[at]) for end in ("lo", "hi"))
