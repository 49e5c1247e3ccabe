#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// The output of a process of the pool, and how the process ended.
struct WorkerReport {
  std::string text;
  ProcessEnding ending;
};

/// The functions that run_pool calls.
struct PoolFunctions {
  /// Called in worker process i. May write output to the descriptor `output` at any time.
  std::function<void(std::size_t i, int output)> work;
  /// Called in the process that called run_pool, after worker process i has written. `output` is
  /// everything that the worker has written, without the parts that this function has erased from
  /// `output`.
  std::function<void(std::size_t i, std::string& output)> receive = {};
  /// Called in the process that called run_pool, after worker process i has ended. The report's
  /// text is the output that `receive` did not erase.
  std::function<void(std::size_t i, const WorkerReport& report)> finish;
};

/// Runs functions.work(i) for every i < count, each call in a worker process of its own. At most
/// `jobs` processes run at a time. The system kills the workers if the thread that called run_pool
/// ends.
/// Requires  this process has one thread; (C1) jobs >= 1
/// Throws    std::system_error, whose message begins with `caller`, if no process or pipe can be
///           created; any exception of `receive` and `finish`, after the running processes are
///           killed
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const PoolFunctions& functions);

/// Runs work(i) for every i < count, each call in a worker process of its own. At most `jobs`
/// processes run at a time.
///
/// Computes  a call of finish(i, report) in the calling process after each worker process has
///           ended. The calls are in the order in which the worker processes end. The report's text
///           is the value that work(i) returned. If the process was killed, the text is the part of
///           this value that it had written
/// Requires  the requirements of run_pool with PoolFunctions
/// Throws    the exceptions of run_pool with PoolFunctions
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const std::function<std::string(std::size_t i)>& work,
              const std::function<void(std::size_t i, const WorkerReport& report)>& finish);

}  // namespace normproof::verification::support::process
