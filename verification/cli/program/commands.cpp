#include "verification/cli/program/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "verification/cli/golden/golden_bless.hpp"
#include "verification/cli/golden/golden_check.hpp"
#include "verification/cli/golden/golden_coverage.hpp"
#include "verification/cli/golden/golden_export.hpp"
#include "verification/cli/golden/golden_make.hpp"
#include "verification/cli/golden/golden_power.hpp"
#include "verification/cli/golden/golden_relations.hpp"
#include "verification/cli/golden/golden_sensitivity.hpp"
#include "verification/cli/gpu/gpu_agree.hpp"
#include "verification/cli/gpu/gpu_train.hpp"
#include "verification/cli/gpu/probe_order.hpp"
#include "verification/cli/regress/regress_compare.hpp"
#include "verification/cli/regress/regress_record.hpp"
#include "verification/cli/tools/apply.hpp"
#include "verification/cli/tools/determinism.hpp"
#include "verification/cli/tools/elementary.hpp"
#include "verification/cli/tools/lipschitz.hpp"
#include "verification/cli/tools/operations.hpp"
#include "verification/cli/tools/render.hpp"
#include "verification/cli/tools/tokenize.hpp"
#include "verification/cli/train/complete.hpp"
#include "verification/cli/train/evaluate.hpp"
#include "verification/cli/train/trace.hpp"
#ifdef NORMPROOF_STUDIES
#include "verification/cli/study/study_group.hpp"
#endif
#include "verification/cli/options.hpp"
#include "verification/cli/train/train.hpp"
#include "verification/cli/train/translate.hpp"
#include "verification/cli/train/weights.hpp"
#include "verification/cli/verify/verify.hpp"
#include "verification/golden/certify/corpus_version.hpp"

namespace normproof::verification::cli::program {
namespace {

constexpr const char* kDescription =
    "normproof checks claims about normalization layers, computes the layers with the same bits "
    "on\nevery machine, and tests implementations of them.\n";

constexpr const char* kFooter = R"(Each command describes its options with --help.

Exit status:
  0  everything is as expected
  1  a check failed, a bit differs, or a computation failed
  2  the command line is wrong
  3  a file is missing, empty, damaged or in another format, or cannot be written
  77 there is no GPU, or a program that a check needs is not installed

Examples:
  normproof verify --html report.html
  normproof apply layer_norm --in x.npz --out y.npz
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
    R"(Each command describes its options with --help. docs/guide/golden.md explains the cases.

Examples:
  normproof golden make --out golden
  normproof golden check --golden verification/golden/data --pipe ./my_kernel)";

constexpr const char* kRegressFooter =
    R"(Each command describes its options with --help. docs/guide/golden.md shows how to use them in CI.

Examples:
  normproof regress record --golden golden --history h.jsonl --self --label v1
  normproof regress compare --history h.jsonl --html h.html)";

#ifndef NORMPROOF_STUDIES
constexpr const char* kStudiesAreNotBuilt =
    "the studies are not built; expected a build folder configured with -DNORMPROOF_STUDIES=ON: "
    "cmake --preset release -DNORMPROOF_STUDIES=ON && cmake --build --preset release";
#endif

constexpr const char* kGpuFooter = R"(Each command describes its options with --help.

Examples:
  normproof gpu agree
  normproof gpu train --norm batch_norm --steps 20)";

/// Returns one line for each interface or data set that has its own version (docs/changelog.md).
std::string versions() {
  return fmt::format("C ABI {}\ncorpus {}", NORMPROOF_ABI,
                     verification::golden::certify::built_corpus_version().text());
}

/// Returns the group `study`. If the studies were not built, returns a command `study` that
/// explains how to build them.
Command study_group() {
#ifdef NORMPROOF_STUDIES
  return study::study_group();
#else
  return {"study", "Repeat the published experiment (not built; see its --help)",
          [](CLI::App& app) {
            set_footer(app, kStudiesAreNotBuilt);
            app.prefix_command();
            return Run([]() -> ExitStatus { throw ref::numeric::UsageError(kStudiesAreNotBuilt); });
          }};
#endif
}

}  // namespace

Command all_commands() {
  Command program = group(
      "normproof", kDescription, kFooter,
      {command<verify::VerifyCommand>(), command<tools::ApplyCommand>(),
       command<tools::TokenizeCommand>(), command<tools::ElementaryCommand>(),
       command<tools::OperationsCommand>(), command<tools::LipschitzCommand>(),
       command<tools::DeterminismCommand>(),
       group("golden", "Certified expected values, and checks of implementations against them",
             kGoldenFooter,
             {command<golden::GoldenMakeCommand>(), command<golden::GoldenCheckCommand>(),
              command<golden::GoldenRelationsCommand>(),
              command<golden::GoldenDetectionPowerCommand>(),
              command<golden::GoldenCoverageCommand>(), command<golden::GoldenSensitivityCommand>(),
              command<golden::GoldenBlessCommand>(), command<golden::GoldenExportCommand>()}),
       group("regress",
             "Record the outputs of an implementation, and compare them over commits and compilers",
             kRegressFooter,
             {command<regress::RegressRecordCommand>(), command<regress::RegressCompareCommand>()}),
       command<train::TrainCommand>(), command<train::TraceCommand>(),
       command<train::WeightsCommand>(), command<train::EvaluateCommand>(),
       command<train::CompleteCommand>(), command<train::TranslateCommand>(), study_group(),
       group("gpu",
             "Compare the GPU code with the reference bit for bit, on a real or a simulated GPU",
             kGpuFooter, {command<gpu::GpuAgreeCommand>(), command<gpu::GpuTrainCommand>()}),
       command<gpu::ProbeOrderCommand>(), command<tools::RenderCommand>()});
  program.versions = "\n" + versions();
  return program;
}

}  // namespace normproof::verification::cli::program
