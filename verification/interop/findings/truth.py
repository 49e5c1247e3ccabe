"""Prints what every finding shows: the library's output, the exact value to 50 digits, and the error in ulps."""
from mpmath import floor, isfinite, log, mp, mpf, nstr

mp.dps = 50
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
MIN_EXPONENT = {"float64": -1074, "float32": -149, "float16": -24, "bfloat16": -133}  # of the smallest subnormal number


def print_error(what, got, truth, dtype):
    """Prints an output of a library beside the exact value."""
    got, truth = mpf(float(got)), mpf(truth)
    unit = mpf(2) ** max(floor(log(abs(truth), 2)) - DIGITS[dtype] + 1, MIN_EXPONENT[dtype]) if truth else mpf(0)
    error = nstr(abs(got - truth) / unit, 4) + " ulp" if isfinite(got) and unit else "no number of ulp"
    print(f"{what}\n  got   {nstr(got, 12)}\n  exact {nstr(truth, 50)}\n  error {error} of {dtype}")


def layer_norm(row, eps):
    """Returns the row normalized, to 50 digits. `row` has numbers of the library's dtype."""
    row = [mpf(float(value)) for value in row]
    mean = sum(row) / len(row)
    rstd = 1 / mp.sqrt(sum((value - mean) ** 2 for value in row) / len(row) + mpf(eps))
    return [(value - mean) * rstd for value in row]


def worst_index(got, truth):
    """Returns the index of the element with the largest error. An infinity or a NaN counts as the largest."""
    errors = [mp.inf if not isfinite(mpf(float(g))) else abs(mpf(float(g)) - t) for g, t in zip(got, truth)]
    return errors.index(max(errors))
