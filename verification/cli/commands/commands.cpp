#include "verification/cli/commands/commands.hpp"

#include <fmt/format.h>

#include "verification/cli/commands/complete.hpp"
#include "verification/cli/commands/determinism.hpp"
#include "verification/cli/commands/elementary.hpp"
#include "verification/cli/commands/eval.hpp"
#include "verification/cli/commands/evaluate.hpp"
#include "verification/cli/commands/golden_bless.hpp"
#include "verification/cli/commands/golden_check.hpp"
#include "verification/cli/commands/golden_coverage.hpp"
#include "verification/cli/commands/golden_export.hpp"
#include "verification/cli/commands/golden_make.hpp"
#include "verification/cli/commands/golden_power.hpp"
#include "verification/cli/commands/golden_relations.hpp"
#include "verification/cli/commands/gpu_agree.hpp"
#include "verification/cli/commands/gpu_train.hpp"
#include "verification/cli/commands/layers.hpp"
#include "verification/cli/commands/lipschitz.hpp"
#include "verification/cli/commands/probe_order.hpp"
#include "verification/cli/commands/regress_compare.hpp"
#include "verification/cli/commands/regress_record.hpp"
#include "verification/cli/commands/render.hpp"
#include "verification/cli/commands/study_list.hpp"
#include "verification/cli/commands/study_power.hpp"
#include "verification/cli/commands/study_report_command.hpp"
#include "verification/cli/commands/study_run.hpp"
#include "verification/cli/commands/study_status.hpp"
#include "verification/cli/commands/tokenize.hpp"
#include "verification/cli/commands/trace.hpp"
#include "verification/cli/commands/train.hpp"
#include "verification/cli/commands/translate.hpp"
#include "verification/cli/commands/weights.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/verify/verify.hpp"
#include "verification/golden/certify/corpus_version.hpp"

namespace normproof::verification::cli::commands {
namespace {

/// NORMPROOF_ABI_VERSION.NORMPROOF_ABI_MINOR of verification/c_abi/normproof.h.
constexpr const char* kAbiVersion = "1.1";

constexpr const char* kDescription =
    "normproof checks what is claimed about BatchNorm, LayerNorm and PowerNorm, and computes "
    "them\nwith the same bits on every machine.\n";

constexpr const char* kFooter = R"(Each command has a --help of its own.

Exit status:
  0  everything is as expected
  1  a claim is not, a bit differs, or a computation failed
  2  the command line is wrong
  3  a file is absent, empty, damaged or not of its format, or cannot be written
  77 there is no GPU to run on

Examples:
  normproof verify --html report.html
  normproof eval layer_norm --in x.npz --out y.npz
  normproof lipschitz layer_norm --in x.npz --radius 0.5
  normproof tokenize | head -3
  echo 1 | normproof elementary exp
  normproof determinism
  normproof golden check --golden golden --candidate answers
  normproof regress compare --history h.jsonl
  normproof train --out run
  normproof weights --run run --out weights.npz
  normproof study run --quick --out s && normproof study report --out s)";

constexpr const char* kGoldenFooter =
    R"(Each command has a --help of its own. docs/golden.md says what the cases are, and why.

Examples:
  normproof golden make --out golden
  normproof golden check --golden verification/golden/data --pipe ./my_kernel)";

constexpr const char* kRegressFooter =
    R"(Each command has a --help of its own. docs/golden.md says how a CI job uses them.

Examples:
  normproof regress record --golden golden --history h.jsonl --self --label v1
  normproof regress compare --history h.jsonl --html h.html)";

constexpr const char* kStudyFooter =
    R"(Each command has a --help of its own. docs/study.md says what the cells are, and what they show;
with --study language they are those of docs/study_language.md.
A cell killed in the middle is run again, a cell that is done never; two programs on one folder
share the work, and 'mpirun -n 8 normproof study run ...' is eight of them. The results are the same
bytes whatever the jobs and the machines.

Examples:
  normproof study run --quick --out s && normproof study report --out s
  normproof study run --out s --data Sentences_AllAgree.txt --vocab vocab.txt --tables 1,4
  normproof study run --out s --protocol published --padding longest --figures none
  normproof study run --out s --cells corrected/1x32/none/rate-0.1/seed-42
  normproof study status --out s --jobs 2
  normproof study run --study language --quick --out l)";

constexpr const char* kGpuFooter = R"(Each verb has a --help of its own.

Examples:
  normproof gpu agree
  normproof gpu train --norm batch_norm --steps 20)";

/// Returns the versions of the interfaces and data that have their own (docs/changelog.md).
std::string versions() {
  return fmt::format("C ABI {}\ncorpus {}", kAbiVersion,
                     golden::certify::built_corpus_version().text());
}

/// Makes a command without options: a group, or the program.
Command group(std::string name, std::string summary, const std::string& footer,
              std::vector<Command> verbs) {
  return {std::move(name), std::move(summary),
          [footer](CLI::App& app) {
            set_footer(app, footer);
            return Run();
          },
          std::move(verbs)};
}

}  // namespace

Command all_commands() {
  Command program = group(
      "normproof", kDescription, kFooter,
      {command<verify::VerifyCommand>(), command<EvalCommand>(), command<TokenizeCommand>(),
       command<ElementaryCommand>(), command<LayersCommand>(), command<LipschitzCommand>(),
       command<DeterminismCommand>(),
       group("golden", "Certified expected values, and implementations held against them",
             kGoldenFooter,
             {command<GoldenMakeCommand>(), command<GoldenCheckCommand>(),
              command<GoldenRelationsCommand>(), command<GoldenPowerCommand>(),
              command<GoldenCoverageCommand>(), command<GoldenBlessCommand>(),
              command<GoldenExportCommand>()}),
       group("regress", "Fingerprints of an implementation over commits and compilers",
             kRegressFooter, {command<RegressRecordCommand>(), command<RegressCompareCommand>()}),
       command<TrainCommand>(), command<TraceCommand>(), command<WeightsCommand>(),
       command<EvaluateCommand>(), command<CompleteCommand>(), command<TranslateCommand>(),
       group(
           "study", "The published experiment again, its faults as switches, PowerNorm beside it",
           kStudyFooter,
           {command<StudyListCommand>(), command<StudyRunCommand>(), command<StudyStatusCommand>(),
            command<StudyReportCommand>(), command<StudyPowerCommand>()}),
       group("gpu",
             "Hold the GPU path against the reference, bit for bit, on a GPU or a simulated one",
             kGpuFooter, {command<GpuAgreeCommand>(), command<GpuTrainCommand>()}),
       command<ProbeOrderCommand>(), command<RenderCommand>()});
  program.versions = "\n" + versions();
  return program;
}

}  // namespace normproof::verification::cli::commands
