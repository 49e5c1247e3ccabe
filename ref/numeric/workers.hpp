#pragma once

#include <cstddef>
#include <functional>

namespace normproof::ref::numeric {

/// Computes  task(0), ..., task(tasks - 1), each once, on the caller's thread and at most
///           threads - 1 others, which live as long as the process; returns when all have ended,
///           and what they wrote is seen then. Whichever thread is free takes the next task: nobody
///           waits for one that has begun none. A task is the caller's, in ascending order, within
///           a task, while another thread of the program is in run_tasks, where no threads are to
///           be had, from 2^24 tasks on, and while others are of no help (HelpMeter). A process
///           forked off has threads of its own
/// Requires  a task that does not throw
void run_tasks(std::size_t tasks, std::size_t threads,
               const std::function<void(std::size_t)>& task);

/// Others are asked from now on, whatever the calls so far have taken; nothing while another
/// thread is in run_tasks.
void ask_again();

}  // namespace normproof::ref::numeric
