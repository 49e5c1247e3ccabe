"""One step of optax.sgd, adam or adamw, from the state that a case gives."""
import jax
import optax

from package_adapter import Piped

FIELDS = {"velocity": "trace", "first_moment": "mu", "second_moment": "nu"}  # of the state of optax


def step(optimizer, parameter, grad_parameter, iterations, moments):
    """Computes one step. `moments` are the tensors of the state under the corpus' names; there may be none."""
    first, *rest = optimizer.init(parameter)
    held = {name: FIELDS[name] for name, value in moments.items() if value is not None}
    given = {field: moments[name] for name, field in held.items()}
    if "count" in getattr(first, "_fields", ()):
        given["count"] = iterations.reshape(()).astype(first.count.dtype)
    state = (first._replace(**given) if given else first, *rest)
    updates, (first, *_) = jax.jit(optimizer.update)(grad_parameter, state, parameter)
    return {"parameter": optax.apply_updates(parameter, updates), "iterations": iterations + 1,
            **{name: getattr(first, field) for name, field in held.items()}}


def sgd(parameter, grad_parameter, iterations, learning_rate, momentum, velocity=None):
    return step(optax.sgd(learning_rate, momentum or None), parameter, grad_parameter, iterations,
                {"velocity": velocity})


def adam(parameter, grad_parameter, iterations, learning_rate, beta1, beta2, eps, first_moment, second_moment):
    return step(optax.adam(learning_rate, beta1, beta2, eps), parameter, grad_parameter, iterations,
                {"first_moment": first_moment, "second_moment": second_moment})


def adamw(parameter, grad_parameter, iterations, learning_rate, beta1, beta2, eps, weight_decay, first_moment,
          second_moment):
    return step(optax.adamw(learning_rate, beta1, beta2, eps, weight_decay=weight_decay), parameter, grad_parameter,
                iterations, {"first_moment": first_moment, "second_moment": second_moment})


def functions():
    return [Piped(op, fn, ("float64", "float32")) for op, fn in (("sgd", sgd), ("adam", adam), ("adamw", adamw))]
