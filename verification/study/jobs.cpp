#include "verification/study/jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::verification::study {

using ref::numeric::FileError;
using ref::numeric::UsageError;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What a worker tells the process that began it: 'd' and the name of a task that is done, or how
/// it failed ('u' usage, 'f' file, 'n' no device, 'e' else) and the sentence; ended by a line end.
void tell(int pipe, char kind, std::string text) {
  std::ranges::replace(text, '\n', ' ');
  const std::string line = fmt::format("{}{}\n", kind, text);
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(pipe, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // the one who would read it has ended
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Does what is missing until nothing is.
void do_tasks(const Store& store, const std::vector<Task>& tasks, const Runner& runner, int pipe) {
  constexpr useconds_t kWait = 200'000;
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
      tell(pipe, 'd', name);
    }
    const std::set<std::string> done = store.names();
    std::erase_if(missing, [&](const std::string& name) { return done.contains(name); });
    if (missing.empty()) return;
    if (!claimed) ::usleep(kWait);  // others are at what is missing
  }
}

/// What a process exits with that has done f, or told how it failed.
int done_or_told(int pipe, const std::function<void()>& f) {
  try {
    f();
    return 0;
  } catch (const UsageError& error) {
    tell(pipe, 'u', error.what());
  } catch (const FileError& error) {
    tell(pipe, 'f', error.what());
  } catch (const gpu::device::NoDeviceError& error) {
    tell(pipe, 'n', error.what());
  } catch (const std::bad_alloc&) {
    tell(pipe, 'e', "the memory does not suffice");
  } catch (const std::exception& error) {
    tell(pipe, 'e', error.what());
  } catch (...) {
    tell(pipe, 'e', "an unknown failure");
  }
  return 1;
}

[[noreturn]] void be_child(int pipe, pid_t parent, const std::function<void()>& f) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGPIPE, SIG_IGN);
  ::_exit(done_or_told(pipe, f));
}

/// Processes that do something, ended with this object.
class Workers {
 public:
  Workers() {
    if (::pipe2(pipe_, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (const pid_t worker : running_) ::kill(worker, SIGKILL);
    for (const pid_t worker : running_) wait_for(worker);
    ::close(pipe_[0]);
    if (pipe_[1] >= 0) ::close(pipe_[1]);
  }

  /// Requires  (C1) once; `f` tells the pipe
  void begin(int jobs, const std::function<void(int pipe)>& f) {
    const pid_t parent = ::getpid();
    for (int job = 0; job < jobs; ++job) {
      const pid_t worker = ::fork();
      if (worker == 0) be_child(pipe_[1], parent, [&] { f(pipe_[1]); });
      if (worker < 0) throw std::system_error(errno, std::generic_category(), "fork");
      running_.insert(worker);
    }
    ::close(pipe_[1]);
    pipe_[1] = -1;
  }

  /// Lines until every worker has ended.
  template <class F>
  void listen(const F& hear) {
    std::string text;
    char buffer[4096];
    for (;;) {
      const ssize_t count = ::read(pipe_[0], buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      text.append(buffer, static_cast<std::size_t>(count));
      for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;) {
        hear(text[0], text.substr(1, end - 1));
        text.erase(0, end + 1);
      }
    }
    while (!running_.empty()) {
      const pid_t worker = *running_.begin();
      const int status = wait_for(worker);
      running_.erase(worker);
      if (WIFSIGNALED(status)) signals_.push_back(WTERMSIG(status));
    }
  }

  /// Those that ended workers.
  const std::vector<int>& signals() const { return signals_; }

 private:
  static int wait_for(pid_t worker) {
    int status = 0;
    while (::waitpid(worker, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

  int pipe_[2] = {-1, -1};
  std::set<pid_t> running_;
  std::vector<int> signals_;
};

/// How far the whole is, by costs.
class Ledger {
 public:
  Ledger(const std::vector<Task>& missing, JobsProgress begin) : progress_(std::move(begin)) {
    for (const Task& task : missing) {
      costs_[task.name] = task.cost;
      left_ += task.cost;
    }
  }

  const JobsProgress& done(const std::string& name) {
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
  throw std::runtime_error(sentence);
}

std::vector<Task> missing_of(const Store& store, const std::vector<Task>& tasks) {
  const auto results = store.results();
  std::vector<Task> missing;
  for (const Task& task : tasks)
    if (!results.contains(task.name)) missing.push_back(task);
  return missing;
}

}  // namespace

JobsSummary run_tasks(const Store& store, std::vector<Task> tasks, const Runner& runner,
                      const JobsOptions& options) {
  std::ranges::stable_sort(tasks, std::greater<>(), &Task::cost);
  const std::vector<Task> missing = missing_of(store, tasks);
  JobsSummary summary;
  summary.tasks = tasks.size();
  summary.done_before = tasks.size() - missing.size();
  char failed = 0;
  std::string sentence;
  Workers workers;
  if (!missing.empty()) {
    Ledger ledger(missing, {summary.done_before, tasks.size(), 0, ""});
    workers.begin(std::min<int>(options.jobs, static_cast<int>(missing.size())), [&](int pipe) {
      ref::numeric::set_num_threads(1);
      do_tasks(store, missing, runner, pipe);
    });
    workers.listen([&](char kind, const std::string& text) {
      if (kind != 'd') {
        if (failed == 0) sentence = text;
        failed = failed == 0 ? kind : failed;
        return;
      }
      ++summary.done_here;
      const JobsProgress& progress = ledger.done(text);
      if (options.progress) options.progress(progress);
    });
  }
  store.sort();
  if (failed != 0) rethrow(failed, sentence);
  const std::size_t left = missing_of(store, tasks).size();
  if (left > 0)
    throw std::runtime_error(fmt::format(
        "cells missing: {} of {}; a worker was ended by signal {}; the same command goes on", left,
        tasks.size(), workers.signals().empty() ? 0 : workers.signals().front()));
  summary.done_elsewhere = summary.tasks - summary.done_before - summary.done_here;
  return summary;
}

void try_in_child(const std::function<void()>& f) {
  Workers workers;
  workers.begin(1, [&](int) { f(); });
  char failed = 0;
  std::string sentence;
  workers.listen([&](char kind, const std::string& text) {
    failed = kind;
    sentence = text;
  });
  if (failed != 0) rethrow(failed, sentence);
  if (!workers.signals().empty())
    throw std::runtime_error(
        fmt::format("a process was ended by signal {}", workers.signals().front()));
}

}  // namespace normproof::verification::study
