#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/store.hpp"

namespace normproof::verification::studies::published {

/// A result to be computed, identified by its name.
struct Task {
  std::string name;
  double cost = 1;  ///< in any unit: the most expensive task runs first
};

/// Computes the result of a task as a JSON object in one line. The bytes must not depend on the
/// process.
using Runner = std::function<std::string(const std::string& name)>;

struct JobsProgress {
  std::size_t done = 0, tasks = 0;
  double seconds_left = 0;  ///< estimated from the costs of finished tasks; 0 before the first one
  std::string name;         ///< of the last finished task
};

struct JobsOptions {
  int jobs = 1;
  std::function<void(const JobsProgress&)> progress = {};
};

struct JobsSummary {
  std::size_t tasks = 0, done_before = 0, done_here = 0, done_elsewhere = 0;
};

/// Runs every task that has no result in the folder, in `jobs` processes of one thread each.
///
/// Computes  the results: a worker claims the most expensive task that nobody works on, runs it,
///           adds its result, and repeats this until every task is done. If a process dies, another
///           one takes over its task. Any number of calls, in programs on any number of machines
///           that share the folder, run each task once. Workers end with the process that began
///           them. At the end the results are sorted
/// Requires  this process has one thread; (C1) 1 <= jobs  (C2) each name once
/// Throws    UsageError, FileError, NoDeviceError, ContractError (only its sentence) or
///           std::runtime_error as the runner does; std::runtime_error if workers were killed and
///           tasks are missing. Finished results stay
JobsSummary run_tasks(const Store& store, std::vector<Task> tasks, const Runner& runner,
                      const JobsOptions& options);

/// Calls f in a child process, so that it leaves no state in this one. A GPU that is open here
/// could not be used by workers.
/// Throws    as run_tasks, what f throws
void try_in_child(const std::function<void()>& f);

}  // namespace normproof::verification::studies::published
