"""The console script `normproof` of the wheel."""
import os
import pathlib
import sys
from typing import NoReturn

PROGRAM = pathlib.Path(__file__).with_name("_native") / "normproof"


def main() -> NoReturn:
    """Replaces this process by the program, with the same arguments, output and exit status."""
    if not PROGRAM.exists():
        sys.exit(f"normproof: {PROGRAM} is not there; expected a wheel (verification/bindings/python/build_wheel)")
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
