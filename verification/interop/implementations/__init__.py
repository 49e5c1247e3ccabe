"""Implementations of others, a module each: `held()` is what verification/interop/board holds against the corpus."""
