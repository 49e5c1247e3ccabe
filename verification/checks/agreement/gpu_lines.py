"""The checks of on_a_gpu ("lines"), the most important first. The first word of a command is
`normproof`, `benchmark` (verification/benchmark/run with --what device) or `sanitize` (normproof
under a tool of compute-sanitizer, whose name is the next word)."""
import dataclasses
import fnmatch
import typing

PRECISIONS = ("double", "float32", "tf32", "bfloat16", "float16")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# The rows of `gpu agree` by process: a CUDA error ends all work of the process in which it occurs.
FAMILIES = {"sums": ("sums", "matmul", "elementary", "dropout", "embedding"),
            "norms": ("none", "*norm*", "group_scaling", "dyt"),
            "functions": ("*softmax", "log_sum_exp", "relu*", "gelu*", "silu", "*sigmoid", "softplus", "tanh", "mish",
                          "swiglu", "geglu", "attention", "cross_entropy", "rope", "merge_*", "*quantize"),
            "encoders": ("encoder*", "decoder_layer", "sgd", "adam*", "training*")}
ASKS_CUBLAS = "is asked of cuBLAS, which a GPU alone has"


@dataclasses.dataclass(frozen=True)
class Line:
    """A check: some commands whose results are stored in one file."""

    name: str
    what: str
    seconds: float  # measured on an H100, or guessed; used until this machine has a measurement
    commands: typing.Tuple[str, ...]  # {device}, {out}, {golden} and {data} are replaced
    finds: bool = False  # exit status 1 is a finding, not a failure
    goes_on: bool = False  # an interrupted run keeps its results and can be resumed
    rehearsal: typing.Optional[typing.Tuple[str, ...]] = None  # commands on the simulated device, if different
    needs_gpu: str = ""  # why it cannot run on the simulated device
    needs_data: bool = False

    def of(self, device):
        """Returns the commands for a device."""
        return self.rehearsal if device == "simulated" and self.rehearsal is not None else self.commands


def only(rows):
    return " ".join(f"--only '{row}'" if "*" in row else f"--only {row}" for row in rows)


def agree_lines():
    seconds = {"sums": 1, "norms": 7, "functions": 2, "encoders": 2}
    return [Line(f"agree-{family}", f"{family}: every bit against ref", seconds[family],
                 (f"normproof gpu agree --device {{device}} {only(rows)}",)) for family, rows in FAMILIES.items()]


def library_lines():
    return [Line(f"library-{name}", f"cuBLAS in {name}: every product within its bound", 4,
                 (f"normproof gpu agree --device {{device}} --mode cublas --precision {name}",)) for name in PRECISIONS]


def order_lines():
    subjects = ["cublas"] + [f"cublas-{name}" for name in PRECISIONS if name != "double"]
    return [Line(f"order-{subject}", f"the order in which {subject} adds", 1, (f"normproof probe-order {subject}",),
                 finds=True, needs_gpu=ASKS_CUBLAS) for subject in subjects]


def speed_lines():
    return [Line("speed-norms", "norms beside the copy, PyTorch and other kernels", 700, ("benchmark --rounds 3 --only norm",),
                 rehearsal=("benchmark --rounds 1 --only norm/layer_norm",)),
            Line("speed-products", "products beside cublasDgemm", 240, ("benchmark --rounds 3 --only product",),
                 rehearsal=("benchmark --rounds 1 --only product/16x16x16",)),
            Line("speed-step", "the step of training beside PyTorch", 60, ("benchmark --rounds 3 --only step",),
                 rehearsal=("benchmark --rounds 1 --only step",))]


def sanitizer_lines():
    agreed = ("sums", "layer_norm", "batch_norm", "float32_norm_bfloat16", "encoder_layer")
    verbs = (f"gpu agree --device {{device}} {only(agreed)}",
             "gpu agree --device {device} --mode cublas", "gpu train --device {device} --steps 2",
             "probe-order device-sum-elements --device {device} --terms 40")
    return [Line(tool, f"{tool} of compute-sanitizer", 120, tuple(f"sanitize {tool} {verb}" for verb in verbs),
                 needs_gpu="checks a GPU's own memory and barriers") for tool in TOOLS]


STUDY = "normproof study run --device {device} --out {out}/study "


def lines():
    return [
        Line("smoke", "there is a GPU, it starts the program, sums and one layer agree", 1,
             ("normproof gpu agree --device {device} --only sums --only layer_norm",)),
        Line("trajectory", "the hash of four trajectories", 3,
             ("normproof gpu train --device {device}",
              "normproof gpu train --device {device} --norm power_norm --optimizer adam",
              "normproof gpu train --device {device} --task language --optimizer adam",
              "normproof gpu train --device {device} --task translate --optimizer adam")),
        *agree_lines(),
        Line("order-dmma", "whether mma in double is a chain of fma", 1,
             ("normproof probe-order device-dmma", "normproof probe-order device-dmma-wide"), finds=True,
             needs_gpu="asks a GPU's tensor cores"),
        *library_lines(),
        *order_lines(),
        *speed_lines(),
        *sanitizer_lines(),
        Line("golden", "the golden corpus judges our own kernels", 4,
             ("normproof golden check --golden {golden} --device {device}",)),
        Line("agree-standard", "every bit against ref, the standard tier", 14,
             ("normproof gpu agree --device {device} --tier standard --seed 2",),
             rehearsal=("normproof gpu agree --device {device} --tier standard --only layer_norm --seed 2",)),
        Line("study", "the study's 126 cells at 512 tokens", 3600,
             (STUDY + "--padding 512 --figures none --no-initialization --norms layer_norm,batch_norm,none {data}",),
             goes_on=True, needs_data=True, rehearsal=(STUDY + "--cells corrected/1x32/none/rate-1/seed-42/steps-0",))]


def selected(globs):
    """Returns the lines that match a glob, or all lines if there are no globs. Raises LookupError
    if a glob matches none."""
    every = lines()
    for glob in globs:
        if not any(fnmatch.fnmatchcase(line.name, glob) for line in every):
            raise LookupError(f"--only '{glob}' names no line; expected one of {', '.join(line.name for line in every)}")
    return [line for line in every if not globs or any(fnmatch.fnmatchcase(line.name, glob) for glob in globs)]


def estimates(chosen, results):
    """Returns seconds by name. A line that has been measured has its measured time. The others have
    their first estimate, multiplied by the ratio of measured to estimated times of the measured
    lines."""
    measured = {name: result["seconds"] for name, result in results.items() if result["state"] == "done"}
    known = [line for line in lines() if line.name in measured and not line.goes_on]
    expected = sum(line.seconds for line in known)
    factor = sum(measured[line.name] for line in known) / expected if expected else 1
    return {line.name: measured.get(line.name, line.seconds * factor) for line in chosen}


def table(chosen, results, device):
    """Returns the list as Markdown, with the commands for the device."""
    seconds = estimates(chosen, results)
    rows = ["| line | what | s | commands |", "|---|---|---|---|"]
    for line in chosen:
        commands = "<br>".join(f"`{command}`" for command in shown(line, device))
        rows.append(f"| {line.name} | {line.what} | {seconds[line.name]:.0f} | {commands} |")
    return "\n".join(rows) + "\n"


def shown(line, device, out="DIR", data="--data ..."):
    """Returns the commands of a line as a person would type them."""
    places = {"device": device, "out": out, "data": data, "golden": "verification/golden/data"}
    words = {"benchmark": f"verification/benchmark/run --what device --device {device}",
             "sanitize": "compute-sanitizer --tool"}
    for command in line.of(device):
        first, rest = command.format(**places).split(" ", 1)
        if first == "sanitize":
            tool, verb = rest.split(" ", 1)
            rest = f"{tool} normproof {verb}"
        yield f"{words.get(first, first)} {rest}".rstrip()
