"""What every finding prints: the library's answer, the truth at 50 digits, and the error in units in the last place."""
from mpmath import floor, isfinite, log, mp, mpf, nstr

mp.dps = 50
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
LEAST = {"float64": -1074, "float32": -149, "float16": -24, "bfloat16": -133}  # of the smallest subnormal number


def tell(what, got, truth, dtype):
    got, truth = mpf(float(got)), mpf(truth)
    unit = mpf(2) ** max(floor(log(abs(truth), 2)) - DIGITS[dtype] + 1, LEAST[dtype]) if truth else mpf(0)
    error = nstr(abs(got - truth) / unit, 4) + " ulp" if isfinite(got) and unit else "no number of ulp"
    print(f"{what}\n  got   {nstr(got, 12)}\n  exact {nstr(truth, 50)}\n  error {error} of {dtype}")


def layer_norm(row, eps):
    """The row normalized, at 50 digits; row: numbers of the library's dtype."""
    row = [mpf(float(value)) for value in row]
    mean = sum(row) / len(row)
    rstd = 1 / mp.sqrt(sum((value - mean) ** 2 for value in row) / len(row) + mpf(eps))
    return [(value - mean) * rstd for value in row]


def worst(got, truth):
    """The place of the element that is farthest off; one that is no number is first."""
    off = [mp.inf if not isfinite(mpf(float(g))) else abs(mpf(float(g)) - t) for g, t in zip(got, truth)]
    return off.index(max(off))
