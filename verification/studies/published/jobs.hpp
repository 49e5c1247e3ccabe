#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/store.hpp"

namespace normproof::verification::studies::published {

/// A task: a result that is to be computed. The name identifies it.
struct Task {
  std::string name;
  double cost = 1;  ///< expected cost in any unit; the most expensive task runs first
};

/// A function that computes the result of the task `name`, as a JSON object in one line. The result
/// must not depend on the process.
using Runner = std::function<std::string(const std::string& name)>;

struct JobsProgress {
  std::size_t done = 0, tasks = 0;
  /// The remaining time, estimated from the costs of finished tasks. It is 0 before the first task
  /// has finished.
  double seconds_left = 0;
  std::string name;  ///< name of the task that finished last
};

struct JobsOptions {
  int jobs = 1;
  std::function<void(const JobsProgress&)> progress = {};
};

struct JobsSummary {
  std::size_t tasks = 0, done_before = 0, done_here = 0, done_elsewhere = 0;
};

/// Runs every task that has no result in the folder `store`, in `jobs` worker processes with one
/// thread each.
///
/// Computes  the results of the tasks. A worker claims the most expensive task that no process is
///           running, runs it, stores its result, and repeats this until every task has a result.
///           If a worker is killed, another worker takes over its task. Several calls of this
///           function may share the folder, also from several machines; nevertheless each task is
///           run only once. The workers end with the process that started them. At the end the
///           results are sorted
/// Requires  this process has one thread; (C1) 1 <= jobs  (C2) each name once
/// Throws    UsageError, FileError, NoDeviceError, ContractError (only its sentence) or
///           std::runtime_error, if the runner throws it; std::runtime_error if workers were killed
///           and tasks have no result. The results that are already stored remain
JobsSummary run_tasks(const Store& store, std::vector<Task> tasks, const Runner& runner,
                      const JobsOptions& options);

/// Calls `f` in a child process, so that this process is unchanged. For example, if `f` opened a
/// GPU in this process, workers forked from it could not use the GPU.
/// Throws    the exceptions of `f`, in the same way as run_tasks
void try_in_child(const std::function<void()>& f);

}  // namespace normproof::verification::studies::published
