"""Means over finite laws of the weights: lengths.v, last_layer.v, pre_norm_layer.v.

W_1 has either sign, W_2 of one layer too; the program computes each draw, and the mean of their enclosures.
"""

from of_encoders import Encoder
from stated import changed

ONE, HALF = "(fun _ : nat => 1)", "(fun _ : nat => / 2)"
SECOND_HALF = ("+ p k / 2 * Sum M", "- p k / 2 * Sum M")


def gradient_square(e, a, y):
    """||dL/dW_2||_F^2, the mean over one upstream gradient."""
    s, hat = e.norm(y)
    made = e.step(f"fun i : nat => ({e.g} i - mean {e.d} {e.g} - {hat} i * (dot {e.d} {e.g} {hat} / INR {e.d})) / {s} 0%nat")
    element = f"({made} i * {a} j)"
    square = e.step(f"fun _ : nat => Sum 1 (fun _ : nat => 1 * Sum {e.d} (fun i => Sum {e.d} (fun j => {element} * {element})))", (0,))
    return f"{square} 0%nat"


def mean_over_one(positive, negative):
    """Of the values at W_1 and at - W_1, all other weights being one each."""
    return (f"Sum 1 (fun _ : nat => 1 * Sum 1 (fun _ : nat => 1 / 2 * Sum 1 (fun _ : nat => 1 * ({positive})) "
            f"+ 1 / 2 * Sum 1 (fun _ : nat => 1 * ({negative}))))")


def constant(matrix):
    return f"(fun _ : nat => {matrix})"


def of_last_layer(e):
    d, W, one = e.d, constant(e.W), constant(e.V)
    V = e.drawn(f"fun m : nat => match m with O => {e.V} | _ => negated {e.V} end")
    x = e.norm(e.step(f"plus_of {e.x} (times {d} {e.U} {e.x})"))[1]
    a = [e.step(f"active {d} {W} {x} {sign} 0") for sign in ("true", "false")]
    states = [[e.step(f"plus_of {x} (times {d} ({V} {m}%nat) {active})") for m in (0, 1)] for active in a]
    length = " + ".join(f"1 / 2 * Sum 2 (fun m => / 2 * length2 {d} (match m with O => {y[0]} | _ => {y[1]} end))" for y in states)
    yield e.value("E ||state||^2", f"mean_of_feed_forward {d} 1 2 {ONE} {HALF} {W} {V} (length2 {d}) {x} {x}",
                  f"Sum 1 (fun _ : nat => {length})", "length",
                  wrong=changed("lengths.v", ("mean_of_feed_forward",), *SECOND_HALF))
    halves = " + ".join(f"1 / 2 * Sum 1 (fun _ : nat => 1 * {gradient_square(e, active, y[0])})" for active, y in zip(a, states))
    yield e.value("E ||dL/dW_2||^2", f"mean_gradient {d} 1 1 {ONE} {ONE} {W} {one} {x} 1 {ONE} {constant(e.g)}",
                  f"Sum 1 (fun _ : nat => {halves})", "gradient",
                  wrong=changed("last_layer.v", ("active", "last_state", "mean_over", "mean_gradient"),
                                "+ p k / 2 * Sum M (fun m => q m * f false", "- p k / 2 * Sum M (fun m => q m * f false", "Law"))


def through_a_layer(e, z):
    """What W_2 takes and the state behind a pre-norm layer, for both signs of W_1."""
    w = e.step(f"plus_of {z} (times {e.d} {e.U} {e.norm(z)[1]})")
    h = e.norm(w)[1]
    for sign in ("true", "false"):
        a = e.step(f"active {e.d} {constant(e.W)} {h} {sign} 0")
        yield a, e.step(f"plus_of {w} (times {e.d} {e.V} {a})")


def of_two_layers(e):
    d, laws = e.d, " ".join(constant(w) for w in (e.U, e.W, e.V))
    last = [mean_over_one(*(f"variance {d} {y}" for _, y in through_a_layer(e, z))) for _, z in list(through_a_layer(e, e.x))]
    yield e.value("E var(state)", f"depth_mean {d} 1 1 1 {ONE} {ONE} {ONE} {laws} {e.LN} 1 (spread_of {d} {laws} {e.LN}) {e.x}",
                  mean_over_one(*last), "spread",
                  wrong=changed("pre_norm_layer.v", ("attended", "taken", "left_by", "layer_mean", "depth_mean", "spread_of"),
                                "plus_of x (times d (U h) (LN x))", "fun i => x i - times d (U h) (LN x) i", "Layers"))


def of_two_tokens(e):
    d, laws = e.d, " ".join(constant(w) for w in (e.U, e.W, e.V))
    m = e.step(f"mean_token 2 (fun j => {e.LN} ({e.x} j))")
    w = e.step(f"plus_of ({e.x} 1%nat) (times {d} {e.U} {m})")
    h = e.norm(w)[1]
    a = [e.step(f"active {d} {constant(e.W)} {h} {sign} 0") for sign in ("true", "false")]
    ends = [e.step(f"plus_of {w} (times {d} {e.V} {active})") for active in a]
    yield e.value("E ||x_1||^2", f"mean_over_layers 2 {d} 1 1 1 {ONE} {ONE} {ONE} {laws} {e.LN} 1 (fun z => length2 {d} (z 1%nat)) {e.x}",
                  mean_over_one(*(f"length2 {d} {y}" for y in ends)), "length",
                  wrong=changed("lengths.v", ("mean_over_layer", "mean_over_layers"), *SECOND_HALF))


def values(fields_of, facts):
    for name, stated in (("means_post", of_last_layer), ("means_of_two_layers", of_two_layers), ("means_of_two", of_two_tokens)):
        yield from stated(Encoder(facts, fields_of[name]))
