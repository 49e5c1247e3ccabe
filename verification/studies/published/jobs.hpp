#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/store.hpp"

namespace normproof::verification::studies::published {

/// A result to be computed, under its name.
struct Task {
  std::string name;
  double cost = 1;  ///< in any unit: the dearest is begun first
};

/// Computes  the result of a task, as a JSON object in one line; the same bytes wherever it runs.
using Runner = std::function<std::string(const std::string& name)>;

struct JobsProgress {
  std::size_t done = 0, tasks = 0;
  double seconds_left = 0;  ///< by the costs of what is done; 0 where nothing is yet
  std::string name;         ///< of the last task that ended
};

struct JobsOptions {
  int jobs = 1;
  std::function<void(const JobsProgress&)> progress = {};
};

struct JobsSummary {
  std::size_t tasks = 0, done_before = 0, done_here = 0, done_elsewhere = 0;
};

/// Does every task that the folder has no result of, in `jobs` processes of one thread each.
///
/// Computes  a worker claims the dearest task that no one is at, runs it, adds its result, and goes
///           on until every task is done by someone: a task whose process ends falls to another.
///           Any number of calls, in any number of programs and machines that share the folder, do
///           each task once. Workers end with the process that began them. At the end the results
///           are sorted
/// Requires  this process has one thread; (C1) 1 <= jobs  (C2) each name once
/// Throws    UsageError, FileError, NoDeviceError, ContractError or std::runtime_error as the
///           runner does, of a ContractError the sentence alone; std::runtime_error where workers
///           were killed and tasks are missing. What is done stays
JobsSummary run_tasks(const Store& store, std::vector<Task> tasks, const Runner& runner,
                      const JobsOptions& options);

/// Does f in a process of its own, which leaves nothing behind in this one: a GPU that is open here
/// could not be used by workers.
/// Throws    as run_tasks, what f throws
void try_in_child(const std::function<void()>& f);

}  // namespace normproof::verification::studies::published
