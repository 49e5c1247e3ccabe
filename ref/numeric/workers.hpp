#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Calls task(0), ..., task(tasks - 1), each once, and returns when all have ended. The caller's
/// thread and at most threads - 1 worker threads run the tasks; the workers live as long as the
/// process. Data that the tasks write is visible after the call. Any free thread starts the next
/// task, and the call never waits for a worker that has not started a task.
///
/// All tasks run on the caller's thread, in ascending order, in each of these cases: the call is
/// nested in a task; another thread is in run_tasks; no thread can be created; there are 2^24 tasks
/// or more. A forked process starts its own worker threads.
/// Requires  task does not throw
void run_tasks(std::size_t tasks, std::size_t threads,
               const std::function<void(std::size_t)>& task);

}  // namespace normproof::ref::numeric
