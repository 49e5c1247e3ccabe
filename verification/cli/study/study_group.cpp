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
    R"(Each command has a --help of its own. docs/guide/study.md says what the cells are, and what they show;
with --study language they are those of docs/guide/study_language.md.
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

}  // namespace

Command study_group() {
  return group(
      "study", "The published experiment again, its faults as switches, PowerNorm beside it",
      kStudyFooter,
      {command<StudyListCommand>(), command<StudyRunCommand>(), command<StudyStatusCommand>(),
       command<StudyReportCommand>(), command<StudyPowerCommand>()});
}

}  // namespace normproof::verification::cli::study
