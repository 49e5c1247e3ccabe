"""Draws the progress of a long call on a terminal."""
from __future__ import annotations

import sys
import time
from typing import Callable, TextIO

DELAY = 1.0  # seconds until a call counts as long
WIDTH = 30


def draw_bar(done: int, total: int) -> str:
    """Returns "[###......] 3/9"."""
    filled = WIDTH * done // max(total, 1)
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}"


def transient_bar(title: str, stream: TextIO | None = None) -> Callable[[int, int], None]:
    """Returns a function of (done, total) that draws a bar on a terminal, and removes it when done equals total.

    Nothing is drawn before DELAY seconds, nor if the stream (standard error by default) is no terminal.
    """
    out = stream or sys.stderr
    begin = time.monotonic()
    is_drawn = False

    def show(done: int, total: int) -> None:
        nonlocal is_drawn
        if not is_drawn and (not out.isatty() or time.monotonic() - begin < DELAY):
            return
        line = f"{title} {draw_bar(done, total)}"
        print("\r" + (" " * len(line) + "\r" if done == total else line), end="", file=out, flush=True)
        is_drawn = done != total

    return show
