"""The program `normproof` of the wheel, as a console script."""
import os
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).with_name("_native") / "normproof"


def main():
    """Becomes the program: its arguments, its output, its exit status."""
    if not PROGRAM.exists():
        sys.exit(f"normproof: {PROGRAM} is not there; expected a wheel (verification/bindings/python/build_wheel)")
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
