"""Reads the operations of a fast phase, as trace_evaluations prints them, and converts them to Gappa."""

import os
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Refused(Exception):
    """Raised if the code differs from the code that the proof is about."""


class Traces:
    """The operations of the functions in the headers below a root, and the compiled tables."""

    def __init__(self, root):
        root = Path(root)
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "trace_evaluations"
            compiler = os.environ.get("CXX") or "c++"
            done = subprocess.run(
                [compiler, "-std=c++20", "-O0", "-ffp-contract=off", f"-I{root}", "-o", program,
                 HERE.parent / "trace_evaluations.cpp", root / "ref/numeric/elementary_tables.cpp"],
                capture_output=True, text=True)
            if done.returncode != 0:
                raise Refused(f"the headers below {root} do not compile: {done.stderr.strip()[:2000]}")
            lines = subprocess.run([program], capture_output=True, text=True,
                                   check=True).stdout.splitlines()
        self.functions, self.tables = {}, {}
        for line in lines:
            words = line.split()
            if words[0] == "function":
                nodes, outputs = {}, {}
                self.functions[words[1]] = (nodes, outputs, exact(words[2]))
            elif words[0] == "table":
                rows = self.tables[words[1]] = []
            elif words[0] == "output":
                outputs[words[1]] = words[2]
            elif len(words) > 1 and words[1] == "=":
                nodes[words[0]] = words[2:]
            else:
                rows.append([exact(word) for word in words])


    def expression(self, function, output):
        """Returns an output as a nested expression, for operations that need no names."""
        nodes, outputs, _ = self.functions[function]

        def text(node):
            op, *operands = nodes[node]
            if op == "input":
                return operands[0]
            return f"{op}({', '.join(map(text, operands))})" if operands else op

        return text(outputs[output])


def exact(text):
    return Fraction(float.fromhex(text))


def is_power_of_two(value):
    value = abs(value)
    return value != 0 and value.numerator & (value.numerator - 1) == 0 and (
        value.denominator & (value.denominator - 1) == 0)


class Evaluation:
    """The named operations that hi, lo and power need.

    `names` are the names of the operations in the order in which they are needed: operands before
    results, from left to right. `columns` are the names of a table's columns. Products with a power
    of two are exact, and so are the error of a product, fma(a, b, -(a b)), and the error of a sum,
    ((a - s) + b) with s = a + b. The last one is exact if |a| >= |b| or a = 0. `sums` lists the pairs
    (a, b) for which a proof must show that.
    """

    def __init__(self, traces, function, names, columns):
        """Rejects an evaluation with a different number of operations."""
        self.function = function
        self.nodes, outputs, self.bound = traces.functions[function]
        self.names, self.columns = {}, columns
        self.definitions, self.sums = {}, []  # by name, in order
        unnamed = list(names)
        order = []
        for output in outputs.values():
            self._visit(output, order)
        if len(order) != len(unnamed):
            raise Refused(f"{function}: the evaluation takes {len(order)} operations; the proof is "
                          f"about {len(unnamed)}: {' '.join(self._raw(n) for n in order)}")
        self.names.update(zip(order, unnamed))
        for node in order:
            self.definitions[self.names[node]] = self._define(node)
        self.outputs = {kind: self._text(node) for kind, node in outputs.items()}
        for kind in ("hi", "lo"):
            if self.outputs[kind] != kind:
                raise Refused(f"{function}: {kind} is {self.outputs[kind]}")

    def _raw(self, node):
        return f"{node} = {' '.join(self.nodes[node])};"

    def _operands(self, node):
        op, *operands = self.nodes[node]
        return operands[2:] if op == "column" else [o for o in operands if o.startswith("n")]

    def _error_of_sum(self, node):
        """Returns (a, b) if the node is the error of a + b."""
        op, *operands = self.nodes[node]
        if op != "add" or self.nodes[operands[0]][0] != "sub":
            return None
        a, s = self.nodes[operands[0]][1:]
        return (a, operands[1], s) if self.nodes[s] == ["add", a, operands[1]] else None

    def _visit(self, node, order):
        op = self.nodes[node][0]
        if node in order or op == "input" or len(self.nodes[node]) == 1:  # x, or a constant
            return
        found = self._error_of_sum(node)
        for operand in found or self._operands(node):
            self._visit(operand, order)
        if op not in ("neg", "column") and node not in order:
            order.append(node)

    def _text(self, node):
        words = self.nodes[node]
        if node in self.names:
            return self.names[node]
        if words[0] == "input":
            return words[1]
        if words[0] == "column":
            return self.columns[int(words[2])]
        if words[0] == "neg":
            return f"-{self._text(words[1])}"
        if len(words) == 1:
            return words[0]
        raise Refused(f"{self.function}: {self._raw(node)} has no name")

    def _define(self, node):
        """Returns (operation, operands) in the words of the script."""
        found = self._error_of_sum(node)
        if found:
            self.sums.append((self._text(found[0]), self._text(found[1])))
            return ("error_of_sum", [self._text(n) for n in found])
        op, *operands = self.nodes[node]
        if op == "fma" and self.nodes[operands[2]][0] == "neg" and (
                self.nodes[self.nodes[operands[2]][1]] == ["mul", *operands[:2]]):
            op = "error_of_product"
        return (op, [self._text(n) for n in operands])

    def text(self, name):
        """Returns the operation as one line, to compare it with what a proof by hand expects."""
        op, operands = self.definitions[name]
        return f"{op} {' '.join(operands)}"

    def row(self):
        """Returns the name of the row that is read from the table."""
        rows = {self._text(words[3]) for words in self.nodes.values() if words[0] == "column"}
        if len(rows) != 1:
            raise Refused(f"{self.function}: columns of {len(rows)} rows")
        return rows.pop()

    def expect(self, facts):
        """Rejects operations that differ from those that the proof treats by hand."""
        for name, expected in facts.items():
            found = self.row() if name == "row" else (
                self.outputs["power"] if name == "power" else self.text(name))
            if found != expected:
                raise Refused(f"{self.function}: {name} is '{found}'; the proof is about "
                              f"'{expected}'")

    def constant(self, name, operand):
        """Returns the constant operand of an operation, as text."""
        return self.definitions[name][1][operand]

    def script(self, inputs, zero=(), outputs=("hi", "lo")):
        """Returns Gappa's definitions of the outputs and of everything they need. `inputs` are given;
        `zero` lists the names whose value is 0."""
        lines, done, alias = [], set(inputs), {name: "0" for name in zero}

        def short(word):
            negative = word.startswith("-")
            word = word[1:] if negative else word
            while word in alias:
                word = alias[word]
            return f"-{word}" if negative and word != "0" else word

        def is_zero(word):
            return word in ("0", "-0") or word in ("0x0p+0", "-0x0p+0")

        def need(word):
            name = word.lstrip("-")
            if name in done or name in alias or name not in self.definitions:
                return
            op, operands = self.definitions[name]
            for operand in operands:
                need(operand)
            a = [short(operand) for operand in operands]
            rounded = "rnd="
            if op == "fma" and (is_zero(a[0]) or is_zero(a[1])):
                alias[name] = a[2]
            elif op == "add" and is_zero(a[0]):
                alias[name] = a[1]
            elif op == "add" and is_zero(a[1]):
                alias[name] = a[0]
            elif op == "error_of_sum" and is_zero(a[0]):
                alias[name] = "0"
            else:
                text = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}",
                        "fma": "{0} * {1} + {2}", "error_of_product": "{0} * {1} - {3}",
                        "error_of_sum": "({0} + {1}) - {2}"}.get(op)
                if text is None:
                    raise Refused(f"{self.function}: {name} is {self.text(name)}, no operation on "
                                  "numbers")
                if op.startswith("error") or (op == "mul" and any(
                        is_power_of_two(exact(word)) for word in a if word.lstrip("-").startswith("0x"))):
                    rounded = "="
                if op == "error_of_product":
                    a.append(a[2].lstrip("-"))
                lines.append(f"{name} {rounded} {text.format(*a)};")
            done.add(name)

        for name in outputs:
            need(name)
            if name in alias:
                raise Refused(f"{self.function}: {name} is {short(name)}")
        return "\n".join(lines)
