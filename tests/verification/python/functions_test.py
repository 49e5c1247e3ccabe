"""Functions with options: one that takes none of them is asked the cases where each is as usual."""
import numpy as np

import normproof


def attention(q, k, v, scale=None):
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(t.astype(np.float64), groups, axis=1) for t in (k, v))
    scores = scale * (q.astype(np.float64) @ k.swapaxes(-1, -2))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).astype(q.dtype)


def test_attention_without_a_mask():
    report = normproof.check(attention, "attention", dtype=["float32", "float64"])
    assert not report.failures and len(report.results) > len(report.declined)
    assert all("causal" in result.text or "valid" in result.text for result in report.declined)


def test_an_absent_scale_is_none():
    seen = []

    def scaled(q, k, v, scale):
        seen.append(scale)
        return attention(q, k, v, scale)
    assert not normproof.check(scaled, "attention", dtype="float64").failures
    assert None in seen and any(isinstance(scale, float) for scale in seen)


def test_a_wrong_scale_is_found():
    report = normproof.check(lambda q, k, v: attention(q, k, v, 1.0), "attention", dtype="float64")
    assert report.failures


def test_rope_by_halves():
    def rope(x, cos, sin):
        half = cos.shape[-1]
        a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
        return np.concatenate((a * cos - b * sin, b * cos + a * sin, rest), -1).astype(x.dtype)
    report = normproof.check(rope, "rope", dtype="float64")
    assert len(report.results) > len(report.declined) and not report.failures
    assert all("interleaved" in result.text for result in report.declined)
