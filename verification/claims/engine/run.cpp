#include "verification/claims/engine/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::verification::claims::engine {

namespace {

// One result as a line of JSON; `worst` in hexadecimal, since it may be infinite.
std::string to_line(const Result& result) {
  const Evidence& e = result.evidence;
  const nlohmann::json line = {{"id", result.id},
                               {"failure", result.failure},
                               {"as_expected", result.as_expected},
                               {"holds", e.observed == Verdict::holds},
                               {"cases", e.cases},
                               {"violations", e.violations},
                               {"worst", fmt::format("{:a}", e.worst)},
                               {"worst_meaning", e.worst_meaning},
                               {"counterexample", e.counterexample},
                               {"detail", e.detail},
                               {"seed", e.seed}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result from_line(const std::string& text) {
  const auto line = nlohmann::json::parse(text);
  Result result;
  result.id = line.at("id").get<std::string>();
  result.failure = line.at("failure").get<std::string>();
  result.as_expected = line.at("as_expected").get<bool>();
  Evidence& e = result.evidence;
  e.observed = line.at("holds").get<bool>() ? Verdict::holds : Verdict::refuted;
  e.cases = line.at("cases").get<std::size_t>();
  e.violations = line.at("violations").get<std::size_t>();
  e.worst = std::strtod(line.at("worst").get<std::string>().c_str(), nullptr);
  e.worst_meaning = line.at("worst_meaning").get<std::string>();
  e.counterexample = line.at("counterexample").get<std::string>();
  e.detail = line.at("detail").get<std::string>();
  e.seed = line.at("seed").get<std::uint64_t>();
  return result;
}

[[noreturn]] void system_failure(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("run_claims: ") + call);
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the parent is gone, or will see a line without its end
    done += static_cast<std::size_t>(written);
  }
}

// One worker process and what it has said so far. A worker that still runs when this goes out of
// scope is ended.
class Worker {
 public:
  Worker(std::size_t index, const Claim& claim, const Run& run) : index_(index) {
    int ends[2];
    if (::pipe(ends) != 0) system_failure("pipe");
    process_ = ::fork();
    if (process_ < 0) {
      const int reason = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      errno = reason;
      system_failure("fork");
    }
    if (process_ == 0) {
      ::close(ends[0]);
      ref::numeric::set_num_threads(1);
      write_all(ends[1], to_line(evaluate(claim, run)));
      ::_exit(0);
    }
    ::close(ends[1]);
    file_ = ends[0];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&& other) noexcept { swap(other); }
  Worker& operator=(Worker&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Worker() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }

  int file() const { return file_; }
  std::size_t index() const { return index_; }

  // Reads what there is; false at the end.
  bool read_some() {
    char buffer[4096];
    const ssize_t got = ::read(file_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) said_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  Result finish(const Claim& claim) {
    const int status = wait();
    if (!said_.empty() && said_.back() == '\n') return from_line(said_);
    Result result;
    result.id = claim.id;
    result.failure =
        WIFSIGNALED(status)
            ? fmt::format("claim {}: its process was ended by signal {} ({})", claim.id,
                          WTERMSIG(status), ::strsignal(WTERMSIG(status)))
            : fmt::format("claim {}: its process ended with status {} before it had reported",
                          claim.id, WEXITSTATUS(status));
    return result;
  }

 private:
  void swap(Worker& other) {
    std::swap(index_, other.index_);
    std::swap(process_, other.process_);
    std::swap(file_, other.file_);
    std::swap(said_, other.said_);
  }
  int wait() {
    ::close(file_);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
    return status;
  }

  std::size_t index_ = 0;
  pid_t process_ = -1;
  int file_ = -1;
  std::string said_;
};

}  // namespace

std::vector<Claim> select_claims(const std::vector<Claim>& claims, std::string_view globs) {
  std::vector<Claim> selected;
  std::vector<std::string> patterns(1);
  for (const char c : globs) {
    if (c == ',')
      patterns.emplace_back();
    else
      patterns.back() += c;
  }
  std::vector<bool> matches(patterns.size());
  std::vector<std::string> known;
  for (const Claim& claim : claims) {
    bool wanted = false;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (::fnmatch(patterns[i].c_str(), claim.id.c_str(), 0) != 0) continue;
      matches[i] = wanted = true;
    }
    if (wanted) selected.push_back(claim);
    known.push_back(claim.id);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (!matches[i])
      throw ref::numeric::UsageError(fmt::format("--claims '{}' matches no claim; known: {}",
                                                 patterns[i], fmt::join(known, ", ")));
  return selected;
}

std::vector<Result> run_claims(const std::vector<Claim>& claims, const RunSettings& settings,
                               const Progress& progress) {
  if (settings.jobs < 1)
    ref::numeric::contract_failure("run_claims", "jobs", fmt::format("is {}", settings.jobs),
                                   "at least 1");
  Run run;
  run.seed = settings.seed;
  run.cases = settings.cases;
  run.subject = settings.subject;

  std::vector<Result> results(claims.size());
  std::vector<Worker> workers;
  std::size_t started = 0, done = 0;
  while (done < claims.size()) {
    while (started < claims.size() && workers.size() < static_cast<std::size_t>(settings.jobs)) {
      workers.emplace_back(started, claims[started], run);
      ++started;
    }
    std::vector<pollfd> files;
    files.reserve(workers.size());
    for (const Worker& worker : workers) files.push_back({worker.file(), POLLIN, 0});
    if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) system_failure("poll");
    for (std::size_t i = workers.size(); i-- > 0;) {
      if (files[i].revents == 0 || workers[i].read_some()) continue;
      const std::size_t index = workers[i].index();
      results[index] = workers[i].finish(claims[index]);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
      if (progress) progress(results[index], done, claims.size());
    }
  }
  return results;
}

}  // namespace normproof::verification::claims::engine
