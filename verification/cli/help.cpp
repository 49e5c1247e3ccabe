#include "verification/cli/help.hpp"

#include <fmt/format.h>

#include <iterator>

#include "ref/model/norm_options.hpp"
#include "verification/agreement/order_subjects.hpp"

namespace normproof::verification::cli {

std::string program_description() {
  return "normproof checks what is claimed about BatchNorm, LayerNorm and PowerNorm, and computes "
         "them\nwith the same bits on every machine.\n";
}

std::string program_footer() {
  return "Each command has a --help of its own.\n\n"
         "Exit status:\n"
         "  0  everything is as expected\n"
         "  1  a claim is not, a bit differs, or a computation failed\n"
         "  2  the command line is wrong\n"
         "  3  a file is absent, empty, damaged or not of its format, or cannot be written\n"
         "  77 there is no GPU to run on\n\n"
         "Examples:\n"
         "  normproof verify --html report.html\n"
         "  normproof eval layer_norm --in x.npz --out y.npz\n"
         "  normproof tokenize | head -3\n"
         "  echo 1 | normproof elementary exp\n"
         "  normproof determinism\n"
         "  normproof golden check --golden golden --candidate answers\n"
         "  normproof regress compare --history h.jsonl\n"
         "  normproof train --out run\n"
         "  normproof weights --run run --out weights.npz\n"
         "  normproof study run --quick --out s && normproof study report --out s";
}

std::string verify_footer() {
  return "Prints a table of the claims and their verdicts, then the statistics of the batches, on "
         "standard\noutput. The same seed, cases and files give the same bytes, whatever --jobs "
         "is.\nExit status 1 if a verdict is unexpected or a layer becomes unstable.\n\n"
         "Examples:\n"
         "  normproof verify\n"
         "  normproof verify --claims 'C*' --cases 100000 --seed 7\n"
         "  normproof verify --data Sentences_AllAgree.txt --vocab vocab.txt --html report.html\n"
         "  normproof verify --json report.json --junit report.xml";
}

std::string eval_footer() {
  std::string text =
      "Tensors in:  x [N,D] or [B,T,D]; optional gamma, beta [D], grad_y (the shape of x; then "
      "the\nbackward runs), valid [N] or [B,T] (true = a real token), and the state of the layer. "
      "Anything\nelse is an error.\n"
      "Tensors out: y, the statistics, grad_x, grad_gamma, grad_beta, and the state after the "
      "step,\nin float64. docs/formats.md has the names.\n\n"
      "Layers and their options with defaults, for --set:\n";
  for (const std::string& name : ref::model::norm_names()) {
    const auto options = ref::model::list_options(ref::model::norm_options(name));
    std::string line = fmt::format("  {:<20}{}", name, options.empty() ? " (none)" : "");
    std::size_t used = line.size();
    for (const auto& [field, value] : options) {
      const std::string setting = fmt::format(" {}={}", field, value);
      if (used + setting.size() > 98) {
        line += "\n" + std::string(22, ' ');
        used = 22;
      }
      line += setting;
      used += setting.size();
    }
    text += line + "\n";
  }
  return text +
         "\nExamples:\n"
         "  normproof eval layer_norm --in x.npz --out y.npz\n"
         "  normproof eval batch_norm --in x.npz --out y.npz --set eps=1e-3 running_decay=0.99\n"
         "  normproof eval power_norm --in steps.safetensors --out out.npz --sequence\n"
         "  normproof eval rms_norm --in x.npz --out y.npz --scalar interval";
}

std::string determinism_footer() {
  return "A probe is a computation of the reference on inputs of its own: every elementary "
         "function, "
         "sum,\nmatmul layout, layer forward and backward, and random stream. Its hash is SHA-256 "
         "of "
         "its\nvalues' bits. Prints the environment and the hashes; with --against one line.\n"
         "Exit status 1 if a bit is another one, 3 if FILE is not what --json wrote.\n\n"
         "Examples:\n"
         "  normproof determinism\n"
         "  normproof determinism --json here.json --threads 4\n"
         "  normproof determinism --against there.json";
}

std::string train_footer() {
  return "Writes config.json, data.json, metrics.jsonl (a line a step with loss, accuracy, the "
         "norm of "
         "every\ngradient, the statistics of every norm and the SHA-256 of the state), "
         "checkpoint.safetensors and\npage.html. The hashes are those of every machine, compiler "
         "and "
         "number of threads.\n"
         "Exit status 1 if a value is no longer finite: the sentence names the step and the "
         "tensor.\n\n"
         "Examples:\n"
         "  normproof train --out run\n"
         "  normproof train --out run --set norm.name=power_norm --set encoder.num_layers=2\n"
         "  normproof train --out run --data Sentences_AllAgree.txt --vocab vocab.txt\n"
         "  normproof train --out run --resume";
}

std::string trace_footer() {
  return "Writes config.json, data.json, initial.safetensors (the state before the first step), "
         "step_0001.safetensors ...\n(batch, every intermediate tensor, every gradient, the state "
         "after the step) and manifest.json:\nwhat an implementation of the forward, the backward "
         "or the optimizer is held against.\nWith --certified the steps are taken in balls of "
         "thousands of bits until the nearest double of every\nelement is certain; what is printed "
         "then is a proof of how far the run in double is from the truth.\n\n"
         "Examples:\n"
         "  normproof trace --out t --steps 3\n"
         "  normproof trace --out t --weights weights.npz\n"
         "  normproof trace --out t --steps 20 --certified --set encoder.d_model=8 --set "
         "encoder.d_ff=8 \\\n    --set training.batch_size=2";
}

std::string study_footer() {
  return "Each command has a --help of its own. docs/study.md says what the cells are, and what "
         "they "
         "show.\nA cell killed in the middle is run again, a cell that is done never; two programs "
         "on one "
         "folder share\nthe work, and 'mpirun -n 8 normproof study run ...' is eight of them. The "
         "results are the same bytes\nwhatever the jobs and the machines.\n\n"
         "Examples:\n"
         "  normproof study run --quick --out s && normproof study report --out s\n"
         "  normproof study run --out s --data Sentences_AllAgree.txt --vocab vocab.txt --tables "
         "1,4\n"
         "  normproof study run --out s --protocol published --padding longest --figures none\n"
         "  normproof study run --out s --cells corrected/1x32/none/rate-0.1/seed-42\n"
         "  normproof study status --out s --jobs 2";
}

std::string golden_footer() {
  return "Each command has a --help of its own. docs/golden.md says what the cases are, and "
         "why.\n\n"
         "Examples:\n"
         "  normproof golden make --out golden\n"
         "  normproof golden check --golden verification/golden/data --pipe ./my_kernel";
}

std::string golden_make_footer() {
  return "A folder a case with case.json, inputs.safetensors and expected.safetensors; "
         "manifest.json; "
         "and\nSHA256SUMS for 'sha256sum -c'. The same bytes on every machine. The folder appears "
         "when "
         "it is\ncomplete.\n\n"
         "Examples:\n"
         "  normproof golden make --out golden\n"
         "  normproof golden make --out large --tier full --only '*/layer_norm/*'";
}

std::string golden_check_footer() {
  return "Prints the metrics of every output, and for each failure the element, its bound and the "
         "command\nthat reproduces it. An element passes where |got - exact| <= bound: "
         "docs/error_analysis.md,\nsection 8.\n"
         "Exit status 1 if a case fails.\n\n"
         "Examples:\n"
         "  normproof golden check --golden golden --candidate answers --junit report.xml\n"
         "  normproof golden check --golden golden --pipe 'python3 adapter.py' --only "
         "'*/rms_norm/*'";
}

std::string golden_relations_footer() {
  return "What no tolerance finds: an answer that changes from call to call (repeat) or with what "
         "memory\nheld (memory), that depends on the batch around a sample (split, permute), or "
         "that a sample of\nNaN spreads to (neighbour). Layers with statistics over samples are "
         "held to repeat, memory and,\nwithin the bound, permute. Exit status 1 if one is "
         "broken.\n\n"
         "Examples:\n"
         "  normproof golden relations --golden golden --pipe ./my_kernel\n"
         "  normproof golden relations --golden golden --pipe ./my_kernel --relations split --only "
         "'*/rms_norm/*'";
}

std::string golden_bless_footer() {
  return "Prints what would be added, removed and changed, by how many units in the last place, "
         "and asks for\na reason, which is kept in BLESSINGS.jsonl beside the cases. Refuses where "
         "CI is set. A corpus that\nchanged in any other way is refused by every command.\n\n"
         "Examples:\n"
         "  normproof golden bless --golden verification/golden/data\n"
         "  normproof golden bless --golden verification/golden/data --reason 'softmax joins'";
}

std::string golden_power_footer() {
  return "A second implementation of every layer is broken at each place of its formula in every "
         "way "
         "that\nthe place offers, and held against the cases; so are right implementations that "
         "add in "
         "other\norders. Exit status 1 if a wrong one passes, or a right one fails.\n\n"
         "Examples:\n"
         "  normproof golden power\n"
         "  normproof golden power --layer rms_norm --seeds 10 --markdown power.md";
}

std::string golden_export_footer() {
  return "Examples:\n"
         "  normproof golden export --golden golden --format npz --out npz --only "
         "'*/layer_norm/*'\n"
         "  normproof golden export --golden golden --format text --out text";
}

std::string regress_footer() {
  return "Each command has a --help of its own. docs/golden.md says how a CI job uses them.\n\n"
         "Examples:\n"
         "  normproof regress record --golden golden --history h.jsonl --self --label v1\n"
         "  normproof regress compare --history h.jsonl --html h.html";
}

std::string regress_record_footer() {
  return "Adds one line to FILE, and keeps the answers in the folder FILE.answers, each once. "
         "Another\nrecording of the same answers takes no more than its line. Exit status 1 if a "
         "case got no\nanswer; it is recorded. Where none did, nothing is, and the status is 3, as "
         "for a damaged file.\n\n"
         "Examples:\n"
         "  normproof regress record --golden golden --history h.jsonl --self --label \"$COMMIT\"\n"
         "  normproof regress record --golden golden --history h.jsonl --pipe ./my_kernel";
}

std::string regress_compare_footer() {
  return "A line for each output whose bits moved: how many elements, by how many ulp at most, and "
         "the\nerror before and after. 'towards' the truth: of the largest and the mean share of "
         "the bound none\nhas grown and one has shrunk; 'away': the reverse.\n"
         "Exit status 1 if anything moved that --allow does not name, 3 if FILE is damaged, empty "
         "or has\none recording alone.\n\n"
         "Examples:\n"
         "  normproof regress compare --history h.jsonl --html h.html --junit h.xml\n"
         "  normproof regress compare --history h.jsonl --from v1 --to v2 --allow towards";
}

std::string gpu_footer() {
  return "Each verb has a --help of its own.\n\n"
         "Examples:\n"
         "  normproof gpu agree\n"
         "  normproof gpu train --norm batch_norm --steps 20";
}

std::string gpu_agree_footer() {
  return "Ordered: sums, products, exp, log, tanh, erf, dropout and the embedding; a tier of the "
         "golden corpus;\nrandom cases of every norm and function, with extents of 1, more than "
         "65535 rows and masks of\nnothing; two steps of training with every norm. The tolerance "
         "is zero.\nCublas: products alone, and those that linear maps, feed-forwards, attention, "
         "encoders and steps of\ntraining ask for, each against its bound given its operands; of "
         "integers and powers of two the\ntolerance is zero. `of bound` is the largest share of a "
         "bound, `of sums` that of the sums alone.\nExit status 1 if a bit differs or a product is "
         "past its bound, 77 without a GPU where one is asked for.\n\n"
         "Examples:\n"
         "  normproof gpu agree --seed 7 --json rows.json\n"
         "  normproof gpu agree --mode cublas --precision bfloat16 --html rows.html\n"
         "  normproof gpu agree --device cuda --junit rows.xml";
}

std::string gpu_train_footer() {
  return "Prints the loss of each step, and the SHA-256 of parameters and running statistics after "
         "the last\none, of both sides. Exit status 1 if they differ.\n\n"
         "Example:\n"
         "  normproof gpu train --norm power_norm --optimizer adam --steps 50";
}

std::string probe_order_footer() {
  std::string text = "Subjects:\n";
  for (const agreement::OrderSubject& subject : agreement::order_subjects())
    text += fmt::format("  {:<20} {}\n", subject.name, subject.what);
  return text +
         "\nA list in brackets is added from left to right: [0..2] is (0 + 1) + 2, where 0, 1, 2 "
         "are the numbers\nof terms; one in braces at once. Exit status 1 if the order is not "
         "the contract's.\n\n"
         "Examples:\n"
         "  normproof probe-order matmul --terms 600\n"
         "  normproof probe-order matmul-blas";
}

}  // namespace normproof::verification::cli
