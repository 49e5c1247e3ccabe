#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// The text that a process of the pool returned, and how the process ended.
struct Report {
  std::string text;
  Ending ending;
};

/// The three functions of a pool.
struct PoolFunctions {
  /// Called in the process of its own. Writes output to the descriptor, at any time.
  std::function<void(std::size_t i, int output)> work;
  /// Called here each time process i has written. Receives all its output that is not removed yet,
  /// and may remove from it.
  std::function<void(std::size_t i, std::string& output)> receive = {};
  /// Called here when process i has ended. The report's text is the output that is not removed.
  std::function<void(std::size_t i, const Report& report)> finish;
};

/// Runs functions.work(i) for every i < count, each in its own process, at most `jobs` processes at
/// a time. The processes end with the thread that began them.
/// Requires  this process has one thread; (C1) jobs >= 1
/// Throws    std::system_error, beginning with `caller`, if no process or pipe can be created; what
///           receive and finish throw, after the running processes are killed
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const PoolFunctions& functions);

/// Runs work(i) for every i < count, each in its own process, at most `jobs` processes at a time.
///
/// Computes  finish(i, report) in this process each time one ends, in the order in which they end.
///           The report's text is the value that work returned, of any length, or what a process
///           that died had written by then
/// Requires  those of the other overload
/// Throws    as the other overload
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const std::function<std::string(std::size_t i)>& work,
              const std::function<void(std::size_t i, const Report& report)>& finish);

}  // namespace normproof::verification::support::process
