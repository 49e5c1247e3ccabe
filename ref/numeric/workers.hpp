#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Runs task(0), ..., task(tasks - 1), each once, on the caller's thread and at most threads - 1
/// others, which live as long as the process. It returns when all tasks have ended, and their
/// writes are visible then. Any free thread takes the next task; nobody waits for a thread that has
/// started none. All tasks run on the caller's thread, in ascending order, if the call is nested in
/// a task, if another thread is in run_tasks, if no thread can be created, from 2^24 tasks on, and
/// while HelpMeter finds that other threads do not help. A forked process starts its own threads.
/// Requires  a task that does not throw
void run_tasks(std::size_t tasks, std::size_t threads,
               const std::function<void(std::size_t)>& task);

/// Makes run_tasks use other threads again, whatever earlier calls measured. Does nothing while
/// another thread is in run_tasks.
void reset_help_meter();

}  // namespace normproof::ref::numeric
