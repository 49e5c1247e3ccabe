#include "ref/numeric/workers.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "ref/numeric/waiting.hpp"

namespace normproof::ref::numeric {
namespace {

using Task = std::function<void(std::size_t)>;

/// Whether the current thread is running a task.
thread_local bool in_task = false;

/// The worker threads and the current call of run_tasks. Each call has a number. One atomic word
/// stores the number of the call together with the index of its next task. So a thread that arrives
/// late cannot start a task of a different call.
class WorkerThreads {
 public:
  static constexpr unsigned kTaskIndexBits = 24;

  WorkerThreads() = default;
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads() {
    ends_ = true;
    called_.wake();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Runs all tasks and returns true. If another thread is already running tasks by this function,
  /// the call runs no task and returns false.
  bool run(std::size_t tasks, std::size_t threads, const Task& task) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    run_with_workers(tasks, threads, task);
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  void run_with_workers(std::size_t tasks, std::size_t threads, const Task& task) {
    start_threads(threads - 1);
    // Marks the previous call as having no task left, so that a thread that arrives late and reads
    // the values below starts none.
    next_ = next_.load() | kNoTask;
    task_ = &task;
    tasks_ = tasks;
    invited_ = threads - 1;
    ended_ = 0;
    const std::uint64_t call = (next_.load() >> kTaskIndexBits) + 1;
    next_ = call << kTaskIndexBits;
    called_.wake();
    run_tasks_of_call(call);
    all_ended_.wait_until([&] { return ended_.load() == tasks; });
  }

  /// Creates threads until there are `count`, or until no more can be created.
  void start_threads(std::size_t count) {
    try {
      while (threads_.size() < count) {
        const std::size_t place = threads_.size();
        threads_.emplace_back([this, place] { run_worker(place); });
      }
    } catch (const std::system_error&) {
      return;
    }
  }

  void run_worker(std::size_t place) {
    for (std::uint64_t seen = 0;;) {
      called_.wait_until([&] { return ends_.load() || next_.load() >> kTaskIndexBits != seen; });
      if (ends_) return;
      seen = next_.load() >> kTaskIndexBits;
      if (place < invited_) run_tasks_of_call(seen);
    }
  }

  void run_tasks_of_call(std::uint64_t call) {
    in_task = true;
    for (std::uint64_t next = next_.load(); next >> kTaskIndexBits == call;) {
      const std::size_t tasks = tasks_;
      const std::size_t own = next & kNoTask;
      if (own >= tasks) break;
      if (!next_.compare_exchange_weak(next, next + 1)) continue;
      (*task_.load())(own);
      if (ended_.fetch_add(1) + 1 == tasks) all_ended_.wake();
      next = next_.load();
    }
    in_task = false;
  }

  static constexpr std::uint64_t kNoTask = (std::uint64_t{1} << kTaskIndexBits) - 1;

  std::atomic<bool> busy_{false}, ends_{false};
  std::atomic<std::uint64_t> next_{0};
  std::atomic<const Task*> task_{nullptr};
  std::atomic<std::size_t> tasks_{0}, invited_{0}, ended_{0};
  Waiting called_, all_ended_;
  std::vector<std::thread> threads_;
};

std::atomic<WorkerThreads*> workers{nullptr};
/// The workers of the parent process. A forked process inherits their memory but not their threads.
WorkerThreads* parent_workers = nullptr;

struct WorkersCleanup {
  WorkersCleanup() {
    pthread_atfork(nullptr, nullptr, [] { parent_workers = workers.exchange(nullptr); });
  }
  ~WorkersCleanup() { delete workers.exchange(nullptr); }
};

WorkerThreads& workers_of_process() {
  static const WorkersCleanup ending;
  WorkerThreads* present = workers.load();
  if (present == nullptr) {
    auto* const made = new WorkerThreads;
    if (workers.compare_exchange_strong(present, made)) return *made;
    delete made;
  }
  return *present;
}

}  // namespace

void run_tasks(std::size_t tasks, std::size_t threads, const Task& task) {
  const bool may_ask =
      threads > 1 && tasks < std::size_t{1} << WorkerThreads::kTaskIndexBits && !in_task;
  for (std::size_t done = 0; done < tasks; ++done) {
    if (may_ask && tasks - done > 1 &&
        workers_of_process().run(tasks - done, threads, [&](std::size_t i) { task(done + i); }))
      return;
    task(done);
  }
}

}  // namespace normproof::ref::numeric
