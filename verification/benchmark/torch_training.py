"""Times one training step in PyTorch's double: TransformerEncoder, batch 32, sequence 64,
vocabulary 30522, mean pooling, SGD, dropout 0.

usage: torch_training.py THREADS SECONDS NAME...   NAME is <layers>x<d_model>-<activation>

Prints one JSON object: {"1x64-relu": milliseconds, ...}, medians. If OPENBLAS_NUM_THREADS and
THREADS are 1, they are processor times, which other programs on the machine do not affect.
"""
import json
import os
import statistics
import sys
import time

import torch

BATCH, LENGTH, VOCABULARY = 32, 64, 30522


class Model(torch.nn.Module):
    def __init__(self, layers, d_model, activation, vocabulary=VOCABULARY):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, d_model, sparse=True)
        layer = torch.nn.TransformerEncoderLayer(d_model, 4, 4 * d_model, 0.0, activation,
                                                 batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, layers)
        self.head = torch.nn.Linear(d_model, 3)

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


def median_time(step, seconds):
    """Returns the median time of repeated calls, in milliseconds."""
    alone = torch.get_num_threads() == 1 and os.environ.get("OPENBLAS_NUM_THREADS") == "1"
    clock = time.process_time if alone else time.perf_counter
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = clock()
        step()
        times.append(clock() - start)
    return 1e3 * statistics.median(times[2:])


def milliseconds(name, seconds):
    size, activation = name.split("-")
    layers, d_model = map(int, size.split("x"))
    torch.manual_seed(1)
    model = Model(layers, d_model, activation).double()
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    tokens = torch.randint(0, VOCABULARY, (BATCH, LENGTH))
    labels = torch.arange(BATCH) % 3

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens), labels).backward()
        optimizer.step()
    return median_time(step, seconds)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    print(json.dumps({name: milliseconds(name, float(sys.argv[2])) for name in sys.argv[3:]}))
