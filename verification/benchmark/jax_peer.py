"""Times JAX on the processor for the rows of `run`, in double. Forward and backward are compiled
together.

usage: jax_peer.py norms|activations THREADS REPETITIONS
       jax_peer.py training THREADS SECONDS NAME...         NAME is <layers>x<d_model>-<activation>

Prints one JSON object: {"version": ..., "layer_norm": milliseconds, ...}, medians. For training on
one thread it is processor time, as in torch_training.py. JAX uses as many threads as the process
has processors, so the process gets THREADS processors.
"""
import json
import os
import statistics
import sys
import time

what, threads, amount = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

import jax  # noqa: E402  after the process has been limited to its processors
import jax.numpy as jnp  # noqa: E402
import jax.scipy.special  # noqa: E402

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
BATCH, LENGTH, VOCABULARY, HEADS, RATE = 32, 64, 30522, 4, 1e-3


def median_time(call, repetitions, warm_up, clock=time.perf_counter, end=0.0):
    """Returns the times of calls in ms, waiting for each result: at least this many calls, and
    until `end`."""
    times = []
    while len(times) < repetitions + warm_up or time.perf_counter() < end:
        start = clock()
        jax.block_until_ready(call())
        times.append(clock() - start)
    return 1e3 * statistics.median(times[warm_up:])


def layer_norm(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * (centred / jnp.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5)) + beta


def batch_norm(x, gamma, beta):
    centred = x - x.mean(0)
    return gamma * (centred / jnp.sqrt((centred ** 2).mean(0) + 1e-5)) + beta


def rows(names):
    """Returns forward and backward of each function for [2048,512]."""
    keys = jax.random.split(jax.random.PRNGKey(1), 2)
    x, grad_y = (jax.random.normal(key, (2048, 512), jnp.float64) for key in keys)
    gamma, beta = jnp.ones(512), jnp.zeros(512)
    times = {}
    for name, (function, arguments) in names.items():
        def both(grad, *given, function=function):
            y, backward = jax.vjp(function, *given)
            return y, backward(grad)
        compiled = jax.jit(both)
        given = (x, gamma, beta)[:arguments]
        grad = grad_y if jax.eval_shape(function, *given).ndim == 2 else grad_y[:, 0]
        times[name] = median_time(lambda: compiled(grad, *given), int(amount), 5)
    return times


def encoder_step(layers, d_model, activation):
    """Returns a step of SGD as in torch_training.py, which only updates the rows of the embedding
    that are used."""
    act = jax.nn.relu if activation == "relu" else lambda v: jax.nn.gelu(v, approximate=False)

    def loss_of(parameters, embedded, labels):
        x = embedded
        for p in parameters["layers"]:
            heads = (x @ p["qkv"] + p["qkv_bias"]).reshape(BATCH, LENGTH, 3, HEADS, d_model // HEADS)
            q, k, v = heads[:, :, 0], heads[:, :, 1], heads[:, :, 2]
            scores = jnp.einsum("bthd,bshd->bhts", q, k) / (d_model // HEADS) ** 0.5
            mixed = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v).reshape(x.shape)
            x = layer_norm(x + mixed @ p["out"] + p["out_bias"], p["gamma_1"], p["beta_1"])
            hidden = act(x @ p["up"] + p["up_bias"])
            x = layer_norm(x + hidden @ p["down"] + p["down_bias"], p["gamma_2"], p["beta_2"])
        logits = jax.nn.log_softmax(x.mean(1) @ parameters["head"] + parameters["head_bias"])
        return -logits[jnp.arange(BATCH), labels].mean()

    def step(parameters, table, tokens, labels):
        loss, (of_parameters, of_rows) = jax.value_and_grad(loss_of, (0, 1))(parameters, table[tokens], labels)
        moved = jax.tree_util.tree_map(lambda p, g: p - RATE * g, parameters, of_parameters)
        return moved, table.at[tokens].add(-RATE * of_rows), loss

    shapes = {"qkv": (d_model, 3 * d_model), "qkv_bias": (3 * d_model,), "out": (d_model, d_model),
              "out_bias": (d_model,), "up": (d_model, 4 * d_model), "up_bias": (4 * d_model,),
              "down": (4 * d_model, d_model), "down_bias": (d_model,), "gamma_1": (d_model,), "beta_1": (d_model,),
              "gamma_2": (d_model,), "beta_2": (d_model,)}
    key = jax.random.PRNGKey(1)
    layer = {name: 0.05 * jax.random.normal(key, shape, jnp.float64) for name, shape in shapes.items()}
    parameters = {"layers": [jax.tree_util.tree_map(jnp.copy, layer) for _ in range(layers)],
                  "head": 0.05 * jax.random.normal(key, (d_model, 3), jnp.float64), "head_bias": jnp.zeros(3)}
    table = jax.random.normal(key, (VOCABULARY, d_model), jnp.float64)
    return jax.jit(step, donate_argnums=(0, 1)), parameters, table


def training(name):
    size, activation = name.split("-")
    step, parameters, table = encoder_step(*map(int, size.split("x")), activation)
    tokens = jax.random.randint(jax.random.PRNGKey(2), (BATCH, LENGTH), 0, VOCABULARY)
    labels = jnp.arange(BATCH) % 3
    state = [parameters, table]

    def call():
        state[0], state[1], loss = step(*state, tokens, labels)
        return state, loss

    call()  # compiles, before timing starts
    clock = time.process_time if threads == 1 else time.perf_counter
    return median_time(call, 3, 2, clock, time.perf_counter() + amount)


if what == "norms":
    result = rows({"layer_norm": (layer_norm, 3), "batch_norm": (batch_norm, 3)})
elif what == "activations":
    result = rows({"softmax": (jax.nn.softmax, 1), "log_softmax": (jax.nn.log_softmax, 1),
                   "log_sum_exp": (lambda t: jax.scipy.special.logsumexp(t, -1), 1), "relu": (jax.nn.relu, 1),
                   "gelu": (lambda t: jax.nn.gelu(t, approximate=False), 1), "gelu_tanh": (jax.nn.gelu, 1)})
else:
    result = {name: training(name) for name in sys.argv[4:]}
print(json.dumps({"version": jax.__version__, **result}))
