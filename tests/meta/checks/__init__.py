"""The rules of the repository that `tests/meta/check` checks, one module per rule."""
