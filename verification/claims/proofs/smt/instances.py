"""The claims of the ledger that are polynomial or rational, at small sizes: what is assumed and what follows.

An instance holds where the assumptions imply the conclusion. The root s of a statistic is a variable above 0 and eps
is s^2 minus the statistic, so that no root is left; only where eps = 0 matters s^2 is assumed to be the statistic.
"""

from dataclasses import dataclass, field

from terms import at_most, below, dot, equal, mean, square, total, value, variable, variables


@dataclass
class Instance:
    claim: str
    size: str            # "n = 3"
    conclusion: object   # a Relation
    assumptions: list = field(default_factory=list)
    refuted: bool = False  # there is a counterexample


class Cell:
    """n numbers that are normalised together, by docs/specification/norms.md, without gamma and beta."""

    def __init__(self, n, centred, x="x", eps_is_zero=False):
        self.centred, self.n = centred, n
        self.x = variables(x, n) if isinstance(x, str) else x
        self.g = variables("g", n)
        self.s = variable("s")
        self.mean = mean(self.x) if centred else value(0)
        self.statistic = mean([(v - self.mean) ** 2 for v in self.x])
        self.eps = self.s * self.s - self.statistic
        self.x_hat = [(v - self.mean) / self.s for v in self.x]
        self.known = [below(0, self.s), equal(self.eps, 0) if eps_is_zero else at_most(0, self.eps)]

    def backward(self, g=None):
        g = self.g if g is None else g
        along = mean([u * v for u, v in zip(g, self.x_hat)])
        offset = mean(g) if self.centred else value(0)
        return [(u - offset - v * along) / self.s for u, v in zip(g, self.x_hat)]

    def squared_gradient_at_zero_eps(self):
        """s^2 ||grad_x||^2 at eps = 0, by B1 and B2."""
        rest = square(self.g) - dot(self.g, self.x_hat) ** 2 / self.n
        return rest - total(self.g) ** 2 / self.n if self.centred else rest


def backwards():
    """A5: the printed 1/(psi gamma) against the derivative."""
    cell, gamma = Cell(1, False), variable("gamma")
    derivative = cell.backward([gamma * cell.g[0]])[0]
    printed = cell.backward()[0] / gamma
    yield Instance("A5", "n = 1", equal(printed, derivative), [*cell.known, below(0, gamma)], refuted=True)


def gradients():
    for n in range(1, 6):
        for claim, centred in (("B1", False), ("B2", True)):
            cell = Cell(n, centred)
            along = dot(cell.g, cell.x_hat)
            rest = square(cell.g) - (2 - cell.statistic / cell.s ** 2) * along ** 2 / n
            if centred:
                rest = rest - total(cell.g) ** 2 / n
            yield Instance(claim, f"n = {n}", equal(square(cell.backward()), rest / cell.s ** 2), cell.known)
        cell = Cell(n, False)
        yield Instance("B3", f"n = {n}", equal(dot(cell.backward(), cell.x),
                                               dot(cell.g, cell.x_hat) * cell.eps / cell.s ** 2), cell.known)
        cell = Cell(n, True)
        yield Instance("B4", f"n = {n}", equal(total(cell.backward()), 0), cell.known)
        yield Instance("B5", f"n = {n}", equal(mean([v * v for v in cell.x]), cell.mean ** 2 + cell.statistic))


def projectors():
    """B6: symmetric, and with P g in the place of g the same; trace. At eps = 0."""
    for n in (3, 4):
        for centred in (False, True):
            size = f"n = {n}, {'centred' if centred else 'not centred'}"
            cell = Cell(n, centred)
            h = variables("h", n)
            yield Instance("B6", f"{size}: symmetric", equal(dot(cell.backward(), h), dot(cell.backward(h), cell.g)),
                           cell.known)
            units = [[value(int(i == k)) for i in range(n)] for k in range(n)]
            trace = total(cell.s * cell.backward(unit)[k] for k, unit in enumerate(units))
            yield Instance("B6", f"{size}: trace",
                           equal(trace, n - (1 if centred else 0) - cell.statistic / cell.s ** 2), cell.known)
    cell = Cell(3, False, eps_is_zero=True)
    once = [cell.s * v for v in cell.backward()]
    twice = [cell.s * v for v in cell.backward(once)]
    yield Instance("B6", "n = 3, not centred: P P = P", equal(twice[0], once[0]), cell.known)


def lipschitz():
    for n in (3, 4, 5):
        cell = Cell(n, True)
        psi2 = mean([v * v for v in cell.x])
        yield Instance("B7", f"n = {n}: sigma <= psi", at_most(cell.statistic, psi2))
        for centred in (False, True):
            cell = Cell(n, centred)
            yield Instance("B7", f"n = {n}: ||P g|| <= ||g||, {'BN' if centred else 'PN-V'}",
                           at_most(cell.squared_gradient_at_zero_eps(), square(cell.g)), cell.known)


def squares(x, g, n):
    """mu, psi^2, sigma^2 and ||grad_x||^2 of PN-V and of BN at eps = 0, <g, x>^2/psi^2 for <g, x_hat>^2."""
    mu, psi2 = mean(x), mean([v * v for v in x])
    sigma2 = psi2 - mu * mu
    along = dot(g, x)
    centred = along - mu * total(g)
    pn = (square(g) - along ** 2 / (psi2 * n)) / psi2
    bn = (square(g) - total(g) ** 2 / n - centred ** 2 / (sigma2 * n)) / sigma2
    return mu, psi2, sigma2, pn, bn


def same_gradients():
    for n, claim, extra in ((2, "B8", lambda x, g: []), (3, "B9", lambda x, g: []),
                            (4, "B11", lambda x, g: [equal(total(x), 0)] + [equal(v, g[0]) for v in g[1:]])):
        x, g = variables("x", n), variables("g", n)
        _, psi2, sigma2, pn, bn = squares(x, g, n)
        yield Instance(claim, f"n = {n}", at_most(pn, bn), [below(0, sigma2), *extra(x, g)], refuted=True)
    for n in (2, 3, 4):
        x, g = variables("x", n), variables("g", n)
        mu, psi2, sigma2, pn, bn = squares(x, g, n)
        # a = A/sqrt(n), b = B/(sigma sqrt(n)): sigma^2 (sigma a - mu b)^2 = (sigma^2 A - mu B)^2/n
        A, B = total(g), dot(g, x) - mu * total(g)
        r = square(g) - A ** 2 / n - B ** 2 / (sigma2 * n)
        yield Instance("B10", f"n = {n}", equal(psi2 ** 2 * sigma2 * (pn - bn),
                                                (sigma2 * A - mu * B) ** 2 / n - r * mu ** 2 * psi2),
                       [below(0, sigma2)])
    for n in (3, 4):
        x = variables("x", n)
        pn_total, bn_total = value(0), value(0)
        for k in range(n):
            _, psi2, sigma2, pn, bn = squares(x, [value(int(i == k)) for i in range(n)], n)
            pn_total, bn_total = pn_total + pn * psi2, bn_total + bn * sigma2
        yield Instance("B12", f"n = {n}: PN-V", equal(pn_total, n - 1), [below(0, psi2)])
        yield Instance("B12", f"n = {n}: BN", equal(bn_total, n - 2), [below(0, sigma2)])
    x, g, gamma = variables("x", 2), variables("g", 2), variable("gamma")
    _, psi2, _, pn, _ = squares(x, g, 2)
    yield Instance("B13", "n = 2", at_most(gamma ** 2 * pn, square(g)), [below(0, psi2), below(0, gamma)],
                   refuted=True)
    x = variables("x", 4)
    _, _, sigma2, _, bn = squares(x, x, 4)
    yield Instance("B15", "m = 4, g = x, mean 0", at_most(sigma2 * bn, square(x) - square(x) ** 2 / (2 * sigma2)),
                   [below(0, sigma2), equal(total(x), 0)], refuted=True)
    x, running = variables("x", 3), variable("psi2_before")
    sigma2 = mean([(v - mean(x)) ** 2 for v in x])
    yield Instance("B16", "n = 3", at_most(1 / running, 1 / sigma2), [below(0, running), below(0, sigma2)],
                   refuted=True)
    cell = Cell(1, False, eps_is_zero=True)
    t, s_moved = variable("t"), variable("s_moved")
    moved = cell.x[0] + t
    yield Instance("B18", "n = 1", equal(moved / s_moved, cell.x_hat[0]),
                   [*cell.known, below(0, s_moved), equal(s_moved ** 2, moved ** 2)], refuted=True)


class Channel:
    """One channel of PowerNorm: running_psi2 through its root r, nu (or e, scaled), batch by batch."""

    def __init__(self, alpha, nu):
        self.alpha, self.nu = alpha, nu

    def step(self, x_hat, g):
        remainder = [u - self.nu * v for u, v in zip(g, x_hat)]
        self.Gamma, self.Lambda = mean([v * v for v in x_hat]), dot(g, x_hat) / len(g)
        self.nu = self.nu * (1 - (1 - self.alpha) * self.Gamma) + (1 - self.alpha) * self.Lambda
        return remainder


class Released:
    """The same of the released code: e = nu/(1 - alpha)."""

    def __init__(self, alpha, e):
        self.alpha, self.e = alpha, e

    def step(self, x_hat, g):
        remainder = [u - (1 - self.alpha) * self.e * v for u, v in zip(g, x_hat)]
        self.e = self.e + mean([u * v for u, v in zip(remainder, x_hat)])
        return remainder


def batches(n, steps):
    return [(variables(f"h{t + 1}_", n), variables(f"g{t + 1}_", n)) for t in range(steps)]


def recursions():
    alpha, start = variable("alpha"), variable("nu0")
    between = [below(0, alpha), below(alpha, 1)]
    for n, steps in ((1, 3), (2, 2), (3, 2)):
        size = f"{n} rows, {steps} steps"
        paper, released = Channel(alpha, (1 - alpha) * start), Released(alpha, start)
        remainders = [(paper.step(*batch), released.step(*batch)) for batch in batches(n, steps)]
        yield Instance("C1", size, equal(paper.nu, (1 - alpha) * released.e), between)
        yield Instance("C4", size, equal(remainders[-1][0][0], remainders[-1][1][0]), between)
        channel, moved = Channel(alpha, start), value(0)
        for x_hat, g in batches(n, steps):
            moved = moved + dot(channel.step(x_hat, g), x_hat) / n
        yield Instance("C2", size, equal(channel.nu - start, (1 - alpha) * moved), between)
        yield Instance("D12", size, equal(moved * (1 - alpha), channel.nu - start), between)
        factor = variable("c")
        one, scaled = Channel(alpha, start), Channel(alpha, factor * start)
        for x_hat, g in batches(n, steps):
            first, second = one.step(x_hat, g), scaled.step(x_hat, [factor * v for v in g])
        yield Instance("C10", size, equal(second[0], factor * first[0]), between)
    psi2, batch = variable("psi2"), variable("psi2_batch")
    running = psi2
    for t in range(1, 6):
        running = alpha * running + (1 - alpha) * batch
        yield Instance("C6", f"{t} steps", equal(running - batch, alpha ** t * (psi2 - batch)), between)
    for k in range(1, 6):
        weight = alpha * (k - 1) / k
        twice = alpha * (psi2 * (k - 1) / k + batch / k) + (1 - alpha) * batch
        yield Instance("C7", f"step {k}", equal(twice, weight * psi2 + (1 - weight) * batch), between)
    for n in (1, 2, 3):
        cell = Cell(n, False, eps_is_zero=True)
        channel = Channel(alpha, start)
        channel.step(cell.x_hat, cell.g)
        yield Instance("C8", f"n = {n}", equal(channel.Gamma, 1), cell.known)
    x_hat, g = variables("h", 1), variables("g", 1)
    channel = Channel(alpha, start)
    yield Instance("C9", "1 row", equal(channel.step(x_hat, g)[0], 0), [*between, equal(g[0], 0)], refuted=True)
    x, psi_batch, psi_before = variables("x", 1), variable("psi_batch"), variable("psi_before")
    yield Instance("C3", "1 row, nu = 0", equal(g[0] / psi_batch, g[0] / psi_before),
                   [below(0, psi_batch), below(0, psi_before), equal(psi_batch ** 2, x[0] ** 2)], refuted=True)
    once, halved = Channel(alpha, value(0)), Channel(alpha, value(0))
    h = variables("h", 1)
    once.step(h, g), halved.step(h, [2 * g[0]])
    yield Instance("C11", "1 row, 2 steps", equal(halved.step(h, [value(0)])[0], once.step(h, [value(0)])[0]), between,
                   refuted=True)
    h, e = variables("h", 2), variable("e0")
    padded = Released(alpha, e).step(h, [variable("g2"), value(0)])[1]
    yield Instance("C12", "2 rows, the second padded", equal(padded, 0), between, refuted=True)
    a, b = Released(alpha, e), Released(alpha, e)
    a.step([h[0], h[1]], [value(0)] * 2), b.step([h[0], variable("other")], [value(0)] * 2)
    yield Instance("C13", "2 rows, the second padded", equal(a.e, b.e), between, refuted=True)
    for valid, padded in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2)):
        x = variables("x", valid)
        mu = mean(x)
        filled = x + [mu] * padded
        yield Instance("C14", f"{valid} rows, {padded} padded",
                       equal(mean([(v - mean(filled)) ** 2 for v in filled]),
                             mean([(v - mu) ** 2 for v in x]) * valid / (valid + padded)))


def boundedness():
    alpha, start, bound = variable("alpha"), variable("nu0"), variable("M")
    theta, ratio = variables("theta", 3), variables("ratio", 3)
    nu, known = start, [at_most(-bound, start), at_most(start, bound)]
    for t in range(3):
        nu = (1 - theta[t]) * nu + theta[t] * ratio[t]
        known += [at_most(0, theta[t]), at_most(theta[t], 1), at_most(-bound, ratio[t]), at_most(ratio[t], bound)]
        if t < 2:
            yield Instance("D1", f"{t + 1} steps", at_most(nu, bound), list(known))
    most = variable("theta_max")
    limit = bound * most / (2 - most)
    yield Instance("D2", "1 step", at_most((1 - theta[0]) * start + theta[0] * ratio[0], limit),
                   [at_most(1, most), below(most, 2), at_most(0, theta[0]), at_most(theta[0], most),
                    at_most(-limit, start), at_most(start, limit), at_most(-bound, ratio[0]),
                    at_most(ratio[0], bound)])
    for n in (1, 2, 3):
        x_hat, g = variables("h", n), variables("g", n)
        yield Instance("D3", f"n = {n}", at_most(dot(g, x_hat) ** 2, square(g) * square(x_hat)))
    nu = value(0)
    for t in range(8):
        nu = (1 - theta[0]) * nu + theta[0]
    yield Instance("D6", "8 steps, Lambda/Gamma = 1, K = 100", at_most(nu ** 2, 100 ** 2),
                   [below(2, theta[0]), at_most(theta[0], 3)], refuted=True)
    Gamma = variable("Gamma")
    swapped = value(0)
    for t in range(8):
        swapped = swapped * (1 - alpha * Gamma) + alpha * Gamma
    yield Instance("D8", "8 steps, Lambda/Gamma = 1, K = 100", at_most(swapped ** 2, 100 ** 2),
                   [below(0, alpha), below(alpha, 1), below(0, Gamma), at_most((1 - alpha) * Gamma, 1)], refuted=True)
    x, g, running, s = variable("x"), variable("g"), variable("psi2_before"), variable("s")
    eps = s * s - x * x
    yield Instance("D9", "1 row, nu = 0", at_most(g ** 2 / s ** 2, g ** 2 / (running + eps)),
                   [below(0, s), below(0, eps), below(0, running)], refuted=True)
    h, g = variables("h", 4), variables("g", 4)
    yield Instance("D10", "4 rows", at_most((g[0] - start * h[0]) ** 2, 4),
                   [equal(square(h), 4), *(equal(v, 0) for v in h[1:]), at_most(square(g), 4),
                    at_most(start ** 2, 1)], refuted=True)
    h, g = variables("h", 1), variables("g", 1)
    yield Instance("D11", "1 row", at_most(square(Channel(alpha, start).step(h, g)), square(g)), refuted=True)


def encoders():
    cell = Cell(3, True)
    yield Instance("E4", "d = 3: ||J g|| <= ||g||/s",
                   at_most(square(cell.backward()) * cell.s ** 2, square(cell.g)), cell.known)
    x = variables("x", 3)
    variance = mean([(v - mean(x)) ** 2 for v in x])
    yield Instance("E5", "d = 3, C = 2", at_most(1 / variance, 4 * 3 / square(x)), [below(0, variance)], refuted=True)
    Y = variables("Y", 3)
    m = mean(Y)
    yield Instance("E11", "3 equally likely states, e = 1/10, a = 1/10, delta = 1/3",
                   at_most(m / 10, Y[1]), [*(below(0, v) for v in Y), at_most(Y[0], Y[1]), at_most(10 * Y[1], 11 * m)],
                   refuted=True)


def dynamic_tanh():
    """F2 and F3 by what they use of tanh: t = tanh(u) has t^2 <= 1, and its slope 1 - t^2 is 1 at 0."""
    gamma, beta, alpha, t = (variable(name) for name in ("gamma", "beta", "alpha", "t"))
    known = [at_most(t * t, 1)]
    y = gamma * t + beta
    yield Instance("F2", "1 element", at_most((y - beta) ** 2, gamma ** 2), known)
    yield Instance("F3", "1 element: the slope", at_most((gamma * alpha * (1 - t * t)) ** 2, (alpha * gamma) ** 2), known)


def textbook():
    for n in range(1, 6):
        cell, c = Cell(n, True), variable("c")
        scaled = [c * v for v in cell.x]
        yield Instance("T1", f"n = {n}", equal((scaled[0] - mean(scaled)) / (c * cell.s), cell.x_hat[0]),
                       [*cell.known, below(0, c)])
        t = variable("t")
        moved = [c * v + t for v in cell.x]
        yield Instance("T5", f"n = {n}", equal((moved[0] - mean(moved)) / (c * cell.s), cell.x_hat[0]),
                       [*cell.known, below(0, c)])
    cell = Cell(2, True)
    a, b = cell.x
    yield Instance("T3", "2 numbers", equal(cell.x_hat[1] ** 2, 1 / (1 + 4 * cell.eps / (b - a) ** 2)),
                   [*cell.known, below(a, b)])
    cell, other = Cell(2, True), variable("other")
    yield Instance("T4", "2 rows", equal(cell.backward()[0], cell.backward([cell.g[0], other])[0]), cell.known,
                   refuted=True)


def all_instances():
    return [instance for part in (textbook, backwards, gradients, projectors, lipschitz, same_gradients, recursions,
                             boundedness, encoders, dynamic_tanh)
            for instance in part()]
