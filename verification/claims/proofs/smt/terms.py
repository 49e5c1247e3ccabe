"""Rational expressions over real variables: written once, printed for an SMT solver and evaluated in fractions.

A value is a quotient of two trees of sums and products that nobody has simplified: that is the solver's work.
"""

from fractions import Fraction


class Tree:
    """A variable, a number, or a sum or product of trees."""

    def __init__(self, head, parts=()):
        self.head, self.parts = head, parts

    def text(self):
        if self.parts:
            return f"({self.head} {' '.join(part.text() for part in self.parts)})"
        if isinstance(self.head, str):
            return self.head
        size = f"{abs(self.head.numerator)}.0"
        if self.head.denominator != 1:
            size = f"(/ {size} {self.head.denominator}.0)"
        return f"(- {size})" if self.head < 0 else size

    def value(self, at):
        if not self.parts:
            return at[self.head] if isinstance(self.head, str) else self.head
        values = [part.value(at) for part in self.parts]
        result = values[0]
        for v in values[1:]:
            result = result + v if self.head == "+" else result * v
        return result

    def variables(self):
        if self.parts:
            return set().union(*(part.variables() for part in self.parts))
        return {self.head} if isinstance(self.head, str) else set()


ZERO, ONE, MINUS_ONE = (Tree(Fraction(n)) for n in (0, 1, -1))


def product(a, b):
    if a is ONE or b is ONE:
        return b if a is ONE else a
    return Tree("*", (a, b))


class Value:
    """over / under."""

    def __init__(self, over, under=ONE):
        self.over, self.under = over, under

    def __add__(self, other):
        other = value(other)
        if self.under is other.under:
            return Value(Tree("+", (self.over, other.over)), self.under)
        return Value(Tree("+", (product(self.over, other.under), product(other.over, self.under))),
                     product(self.under, other.under))

    def __mul__(self, other):
        other = value(other)
        return Value(product(self.over, other.over), product(self.under, other.under))

    def __truediv__(self, other):
        other = value(other)
        return Value(product(self.over, other.under), product(self.under, other.over))

    def __neg__(self):
        return Value(product(MINUS_ONE, self.over), self.under)

    def __sub__(self, other):
        return self + -value(other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other):
        return value(other) - self

    def __rtruediv__(self, other):
        return value(other) / self

    def __pow__(self, exponent):
        result = value(1)
        for _ in range(exponent):
            result = result * self
        return result


def value(v):
    return v if isinstance(v, Value) else Value(Tree(Fraction(v)))


class Relation:
    """left sign right, sign one of = < <= != . Both denominators are taken not to be 0, and are multiplied out;
    where the order counts by their squares."""

    def __init__(self, left, sign, right):
        self.difference, self.sign = value(left) - value(right), sign

    def text(self):
        over, under = self.difference.over, self.difference.under
        if self.sign == "=":
            return f"(= {over.text()} 0.0)"
        if self.sign == "!=":
            return f"(not (= {over.text()} 0.0))"
        return f"({self.sign} {product(over, under).text()} 0.0)"

    def holds(self, at):
        difference = self.difference.over.value(at) / self.difference.under.value(at)
        return {"=": difference == 0, "!=": difference != 0, "<": difference < 0,
                "<=": difference <= 0}[self.sign]

    def denominator(self):
        """Nothing where it is 1."""
        return None if self.difference.under is ONE else f"(not (= {self.difference.under.text()} 0.0))"

    def variables(self):
        return self.difference.over.variables() | self.difference.under.variables()


def equal(left, right):
    return Relation(left, "=", right)


def at_most(left, right):
    return Relation(left, "<=", right)


def below(left, right):
    return Relation(left, "<", right)


def differs(left, right):
    return Relation(left, "!=", right)


def variable(name):
    return Value(Tree(name))


def variables(name, count):
    return [variable(f"{name}{i + 1}") for i in range(count)]


def total(values):
    result = value(0)
    for v in values:
        result = result + v
    return result


def mean(values):
    return total(values) / len(values)


def dot(a, b):
    return total(u * v for u, v in zip(a, b))


def square(a):
    return dot(a, a)
