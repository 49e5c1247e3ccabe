#include "verification/studies/published/jobs.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <set>
#include <stdexcept>

#include "gpu/device/errors.hpp"
#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/support/process/pool.hpp"

namespace normproof::verification::studies::published {

using ref::numeric::Clause;
using ref::numeric::ContractError;
using ref::numeric::FileError;
using ref::numeric::UsageError;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Writes a line from a worker process to its parent. The first character of the line is `kind`. If
/// `kind` is 'd', the task named `text` is done. Every other kind reports a failure with the
/// message `text`: 'u' (usage), 'f' (file), 'n' (no device), 'c' (contract) or 'e' (other).
void report_to_parent(int pipe, char kind, std::string text) {
  std::ranges::replace(text, '\n', ' ');
  // Errors are ignored: a failed write means that the parent process has ended.
  ref::io::write_all(pipe, fmt::format("{}{}\n", kind, text));
}

/// Runs the tasks that have no result yet, until every task has a result.
void run_missing_tasks(const Store& store, const std::vector<Task>& tasks, const Runner& runner,
                       int pipe) {
  constexpr useconds_t kPollMicroseconds = 200'000;
  std::vector<std::string> missing;
  missing.reserve(tasks.size());
  for (const Task& task : tasks) missing.push_back(task.name);
  for (;;) {
    bool claimed = false;
    for (const std::string& name : missing) {
      const auto claim = store.claim(name);
      if (!claim) continue;
      claimed = true;
      const Clock::time_point begin = Clock::now();
      const std::string result = runner(name);
      store.add(*claim, result, seconds_since(begin));
      report_to_parent(pipe, 'd', name);
    }
    const std::set<std::string> done = store.names();
    std::erase_if(missing, [&](const std::string& name) { return done.contains(name); });
    if (missing.empty()) return;
    if (!claimed)
      ::usleep(kPollMicroseconds);  // the remaining tasks are being run by other processes
  }
}

/// Calls `f`. If it throws an exception, reports it to the parent process through the pipe.
void run_and_report(int pipe, const std::function<void()>& f) {
  try {
    f();
  } catch (const UsageError& error) {
    report_to_parent(pipe, 'u', error.what());
  } catch (const FileError& error) {
    report_to_parent(pipe, 'f', error.what());
  } catch (const gpu::device::NoDeviceError& error) {
    report_to_parent(pipe, 'n', error.what());
  } catch (const ContractError& error) {
    report_to_parent(pipe, 'c', sentence(error.violation()));
  } catch (const std::bad_alloc&) {
    report_to_parent(pipe, 'e', "the memory does not suffice");
  } catch (const std::exception& error) {
    report_to_parent(pipe, 'e', error.what());
  } catch (...) {
    report_to_parent(pipe, 'e', "an unknown failure");
  }
}

/// Calls `f(pipe)` in `jobs` worker processes at the same time. For each line that a worker writes
/// to its pipe, calls `hear(kind, text)` in this process. Returns the numbers of the signals that
/// killed worker processes.
std::vector<int> run_workers(const std::string& caller, int jobs,
                             const std::function<void(int pipe)>& f,
                             const std::function<void(char, const std::string&)>& handle_line) {
  std::vector<int> signals;
  const auto work = [&](std::size_t, int pipe) {
    ::signal(SIGPIPE, SIG_IGN);
    run_and_report(pipe, [&] { f(pipe); });
  };
  const auto receive = [&](std::size_t, std::string& output) {
    for (std::size_t end; (end = output.find('\n')) != std::string::npos; output.erase(0, end + 1))
      handle_line(output.front(), output.substr(1, end - 1));
  };
  const auto finish = [&](std::size_t, const support::process::WorkerReport& report) {
    if (report.ending.by_signal) signals.push_back(report.ending.code);
  };
  support::process::run_pool(caller, static_cast<std::size_t>(jobs), jobs,
                             {.work = work, .receive = receive, .finish = finish});
  return signals;
}

/// Tracks the progress, and estimates the remaining time from the costs of the tasks.
class ProgressEstimate {
 public:
  ProgressEstimate(const std::vector<Task>& missing, JobsProgress begin)
      : progress_(std::move(begin)) {
    for (const Task& task : missing) {
      costs_[task.name] = task.cost;
      left_ += task.cost;
    }
  }

  const JobsProgress& count_finished_task(const std::string& name) {
    ++progress_.done;
    progress_.name = name;
    const double cost = costs_[name];
    done_ += cost;
    left_ -= cost;
    progress_.seconds_left = done_ > 0 ? seconds_since(begin_) * left_ / done_ : 0;
    return progress_;
  }

 private:
  JobsProgress progress_;
  std::map<std::string, double> costs_;
  double done_ = 0, left_ = 0;
  Clock::time_point begin_ = Clock::now();
};

[[noreturn]] void rethrow(char kind, const std::string& sentence) {
  if (kind == 'u') throw UsageError(sentence);
  if (kind == 'f') throw FileError(sentence);
  if (kind == 'n') throw gpu::device::NoDeviceError(sentence);
  if (kind == 'c') throw ContractError({.observation = sentence});
  throw std::runtime_error(sentence);
}

std::vector<Task> find_missing_tasks(const Store& store, const std::vector<Task>& tasks) {
  const auto results = store.results();
  std::vector<Task> missing;
  for (const Task& task : tasks)
    if (!results.contains(task.name)) missing.push_back(task);
  return missing;
}

void check_names(const std::vector<Task>& tasks) {
  std::set<std::string> names;
  for (const Task& task : tasks)
    if (!names.insert(task.name).second)
      ref::numeric::contract_failure("run_tasks", "tasks", fmt::format("has '{}' twice", task.name),
                                     "each name once", Clause::C2);
}

}  // namespace

JobsSummary run_tasks(const Store& store, std::vector<Task> tasks, const Runner& runner,
                      const JobsOptions& options) {
  if (options.jobs < 1)
    ref::numeric::contract_failure("run_tasks", "options.jobs", fmt::format("is {}", options.jobs),
                                   "at least 1", Clause::C1);
  check_names(tasks);
  std::ranges::stable_sort(tasks, std::greater<>(), &Task::cost);
  const std::vector<Task> missing = find_missing_tasks(store, tasks);
  JobsSummary summary;
  summary.tasks = tasks.size();
  summary.done_before = tasks.size() - missing.size();
  char failed = 0;
  std::string sentence;
  std::vector<int> signals;
  if (!missing.empty()) {
    ProgressEstimate ledger(missing, {summary.done_before, tasks.size(), 0, ""});
    const auto work = [&](int pipe) {
      ref::numeric::set_num_threads(1);
      run_missing_tasks(store, missing, runner, pipe);
    };
    const auto handle_line = [&](char kind, const std::string& text) {
      if (kind != 'd') {
        if (failed == 0) sentence = text;
        failed = failed == 0 ? kind : failed;
        return;
      }
      ++summary.done_here;
      const JobsProgress& progress = ledger.count_finished_task(text);
      if (options.progress) options.progress(progress);
    };
    const int jobs = std::min(options.jobs, static_cast<int>(missing.size()));
    signals = run_workers("run_tasks", jobs, work, handle_line);
  }
  store.sort();
  if (failed != 0) rethrow(failed, sentence);
  const std::size_t left = find_missing_tasks(store, tasks).size();
  if (left > 0)
    throw std::runtime_error(fmt::format(
        "cells missing: {} of {}; a worker was ended by signal {}; the same command goes on", left,
        tasks.size(), signals.empty() ? 0 : signals.front()));
  summary.done_elsewhere = summary.tasks - summary.done_before - summary.done_here;
  return summary;
}

void try_in_child(const std::function<void()>& f) {
  char failed = 0;
  std::string sentence;
  const std::vector<int> signals = run_workers(
      "try_in_child", 1, [&](int) { f(); },
      [&](char kind, const std::string& text) {
        failed = kind;
        sentence = text;
      });
  if (failed != 0) rethrow(failed, sentence);
  if (!signals.empty())
    throw std::runtime_error(fmt::format("a process was ended by signal {}", signals.front()));
}

}  // namespace normproof::verification::studies::published
