#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// What a process of a pool has said, and how it ended.
struct Report {
  std::string text;
  Ending ending;
};

/// Does work(i) for every i < count in a process of its own, `jobs` of them at a time.
///
/// Computes  finish(i, report) here whenever one has ended, in the order in which they end; the
///           text is what work returned, of any length, or what a process that died had said by
///           then. Processes that still run where finish throws are killed
/// Requires  this process has one thread; (C1) jobs >= 1
/// Throws    std::system_error, beginning with `caller`, where no process or pipe can be made; what
///           finish throws
void run_pool(const std::string& caller, std::size_t count, int jobs,
              const std::function<std::string(std::size_t i)>& work,
              const std::function<void(std::size_t i, const Report& report)>& finish);

}  // namespace normproof::verification::support::process
