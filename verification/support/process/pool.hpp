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

/// Runs work(i) for every i < count, each in its own process, at most `jobs` processes at a time.
///
/// Computes  finish(i, report) in this process each time one ends, in the order in which they end.
///           The report's text is the value that work returned, of any length, or what a process
///           that died had written by then. If finish throws, the running processes are killed
/// Requires  this process has one thread; (C1) jobs >= 1
/// Throws    std::system_error, beginning with `caller`, if no process or pipe can be created; what
///           finish throws
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const std::function<std::string(std::size_t i)>& work,
              const std::function<void(std::size_t i, const Report& report)>& finish);

}  // namespace normproof::verification::support::process
