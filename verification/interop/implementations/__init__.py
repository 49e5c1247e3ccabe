"""Functions of other libraries, one module each. `entries()` lists those that verification/interop/board judges."""
