#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/cli/training_source.hpp"
#include "verification/study/plan.hpp"

namespace normproof::verification::cli {

enum class StudyVerb { list, run, status, report };

struct StudyCommand {
  StudyVerb verb = StudyVerb::list;
  study::Selection selection = {};
  std::vector<std::string> cells = {};  ///< by name; where there are some, they are the selection
  TrainingSource source = {};           ///< data, vocabulary and validation
  std::filesystem::path out = {};
  int jobs = 1;
  std::optional<gpu::device::Backend> device = {};  ///< what trains, or nothing: the processor
  bool json = false;
};

/// The cells that the command names.
/// Throws    UsageError where there is none, or a name is no cell's
std::vector<study::Cell> cells_of(const StudyCommand& command);

/// list: the names of the cells, a line each. run: computes what the folder does not have
/// (study::run_tasks), one thread a job; as a rank of mpirun it is a worker beside the others, and
/// rank 0 alone prints. status: what is done, what is missing, and the time that it takes by the
/// times measured. report: report.html, report.md and its pictures, in the folder.
/// Throws    UsageError, FileError, NoDeviceError, std::runtime_error
void study(const StudyCommand& command);

}  // namespace normproof::verification::cli
