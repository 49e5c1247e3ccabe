#include "verification/cli/study/study_group.hpp"

#include "verification/cli/options.hpp"
#include "verification/cli/study/study_list.hpp"
#include "verification/cli/study/study_power.hpp"
#include "verification/cli/study/study_report_command.hpp"
#include "verification/cli/study/study_run.hpp"
#include "verification/cli/study/study_status.hpp"

namespace normproof::verification::cli::study {
namespace {

constexpr const char* kStudyFooter =
    R"(Each command describes its options with --help. docs/guide/study.md explains the cells and their
results; with --study language, docs/guide/study_language.md does.
A cell that was interrupted runs again; a finished cell does not. Two programs on one folder share
the work, and 'mpirun -n 8 normproof study run ...' starts eight of them. The bytes of the results
depend neither on the jobs nor on the machines.

Examples:
  normproof study run --quick --out s && normproof study report --out s
  normproof study run --out s --data Sentences_AllAgree.txt --vocab vocab.txt --tables 1,4
  normproof study run --out s --protocol published --padding longest --figures none
  normproof study run --out s --cells corrected/1x32/none/rate-0.1/seed-42
  normproof study status --out s --jobs 2
  normproof study run --study language --quick --out l)";

}  // namespace

Command study_group() {
  return group(
      "study", "Repeat the published experiment, with its faults as switches and with PowerNorm",
      kStudyFooter,
      {command<StudyListCommand>(), command<StudyRunCommand>(), command<StudyStatusCommand>(),
       command<StudyReportCommand>(), command<StudyStatisticalPowerCommand>()});
}

}  // namespace normproof::verification::cli::study
