#include "ref/numeric/workers.hpp"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "ref/numeric/help_meter.hpp"
#include "ref/numeric/waiting.hpp"

namespace normproof::ref::numeric {
namespace {

using Task = std::function<void(std::size_t)>;

/// Whether the current thread is running a task.
thread_local bool in_task = false;

/// Returns the processor time that the current thread has used so far.
HelpMeter::Duration processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + HelpMeter::Duration(now.tv_nsec);
}

/// The worker threads and the current call of run_tasks. Each call has a number. One atomic word
/// stores the number of the call together with the index of its next task. So a thread that arrives
/// late cannot start a task of a different call.
class Workers {
 public:
  static constexpr unsigned kTaskBits = 24;

  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    ends_ = true;
    called_.wake();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Runs all tasks and returns true. It runs none and returns false if another thread is in a
  /// call, or while HelpMeter finds that other threads do not help.
  bool run(std::size_t tasks, std::size_t threads, const Task& task) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    const auto began = std::chrono::steady_clock::now();
    const bool helps = meter_.helps(began);
    if (helps) run_with_others(tasks, threads, task, began);
    busy_.store(false, std::memory_order_release);
    return helps;
  }

  void reset_help_meter() {
    if (busy_.exchange(true, std::memory_order_acquire)) return;
    meter_ = HelpMeter();
    busy_.store(false, std::memory_order_release);
  }

 private:
  void run_with_others(std::size_t tasks, std::size_t threads, const Task& task,
                       HelpMeter::Time began) {
    start(threads - 1);
    // Marks the previous call as having no task left, so that a thread that arrives late and reads
    // the values below starts none.
    next_ = next_.load() | kNoTask;
    task_ = &task;
    tasks_ = tasks;
    invited_ = threads - 1;
    ended_ = 0;
    processor_time_ = 0;
    const std::uint64_t call = (next_.load() >> kTaskBits) + 1;
    next_ = call << kTaskBits;
    called_.wake();
    run_tasks_of_call(call);
    all_ended_.wait_until([&] { return ended_.load() == tasks; });
    const auto now = std::chrono::steady_clock::now();
    meter_.record_call(now, now - began, HelpMeter::Duration(processor_time_.load()));
  }

  /// Creates threads until there are `count`, or until no more can be created.
  void start(std::size_t count) {
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
      called_.wait_until([&] { return ends_.load() || next_.load() >> kTaskBits != seen; });
      if (ends_) return;
      seen = next_.load() >> kTaskBits;
      if (place < invited_) run_tasks_of_call(seen);
    }
  }

  void run_tasks_of_call(std::uint64_t call) {
    in_task = true;
    HelpMeter::Duration counted = processor_time();
    for (std::uint64_t next = next_.load(); next >> kTaskBits == call;) {
      const std::size_t tasks = tasks_;
      const std::size_t own = next & kNoTask;
      if (own >= tasks) break;
      if (!next_.compare_exchange_weak(next, next + 1)) continue;
      (*task_.load())(own);
      const HelpMeter::Duration used = processor_time();
      processor_time_ += (used - counted).count();
      counted = used;
      if (ended_.fetch_add(1) + 1 == tasks) all_ended_.wake();
      next = next_.load();
    }
    in_task = false;
  }

  static constexpr std::uint64_t kNoTask = (std::uint64_t{1} << kTaskBits) - 1;

  std::atomic<bool> busy_{false}, ends_{false};
  std::atomic<std::uint64_t> next_{0};
  std::atomic<const Task*> task_{nullptr};
  std::atomic<std::size_t> tasks_{0}, invited_{0}, ended_{0};
  /// The processor time that all threads together have spent on tasks that have ended.
  std::atomic<HelpMeter::Duration::rep> processor_time_{0};
  HelpMeter meter_;
  Waiting called_, all_ended_;
  std::vector<std::thread> threads_;
};

std::atomic<Workers*> workers{nullptr};
/// The workers of the parent process. A forked process inherits their memory but not their threads.
Workers* parent_workers = nullptr;

struct Ending {
  Ending() {
    pthread_atfork(nullptr, nullptr, [] { parent_workers = workers.exchange(nullptr); });
  }
  ~Ending() { delete workers.exchange(nullptr); }
};

Workers& process_workers() {
  static const Ending ending;
  Workers* present = workers.load();
  if (present == nullptr) {
    auto* const made = new Workers;
    if (workers.compare_exchange_strong(present, made)) return *made;
    delete made;
  }
  return *present;
}

}  // namespace

void run_tasks(std::size_t tasks, std::size_t threads, const Task& task) {
  const bool may_ask = threads > 1 && tasks < std::size_t{1} << Workers::kTaskBits && !in_task;
  for (std::size_t done = 0; done < tasks; ++done) {
    if (may_ask && tasks - done > 1 &&
        process_workers().run(tasks - done, threads, [&](std::size_t i) { task(done + i); }))
      return;
    task(done);
  }
}

void reset_help_meter() {
  process_workers().reset_help_meter();
}

}  // namespace normproof::ref::numeric
