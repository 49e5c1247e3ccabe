#include "verification/support/process/pool.hpp"

#include <poll.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::support::process {

namespace {

struct Worker {
  std::size_t index;
  ref::io::Descriptor pipe;  ///< the reading end of the worker's pipe
  Child process;
  std::string output = {};
};

Worker start_worker(const std::string& caller, std::size_t index,
                    const std::function<void(std::size_t, int)>& work) {
  Pipe pipe = make_pipe(caller + ": pipe");
  Child process = Child::begin(caller + ": fork",
                               [&] {
                                 pipe.reading.close();
                                 work(index, pipe.writing.get());
                                 return 0;
                               },
                               {.ends_with_parent = true});
  return {index, std::move(pipe.reading), std::move(process)};
}

/// Reads once from the worker's pipe and passes the bytes to functions.receive. Returns false at
/// the end of the output.
bool receive_output(Worker& worker, const PoolFunctions& functions) {
  if (ref::io::read_once(worker.pipe.get(), worker.output) <= 0) return false;
  if (functions.receive) functions.receive(worker.index, worker.output);
  return true;
}

}  // namespace

void run_pool(const std::string& caller, std::size_t count, int jobs,
              const PoolFunctions& functions) {
  if (jobs < 1)
    ref::numeric::contract_failure(caller, "jobs", "is " + std::to_string(jobs), "at least 1",
                                   ref::numeric::Clause::C1);
  std::vector<Worker> workers;
  for (std::size_t started = 0; started < count || !workers.empty();) {
    for (; started < count && workers.size() < static_cast<std::size_t>(jobs); ++started)
      workers.push_back(start_worker(caller, started, functions.work));
    std::vector<pollfd> files;
    files.reserve(workers.size());
    for (const Worker& worker : workers) files.push_back({worker.pipe.get(), POLLIN, 0});
    if (ref::io::retry_interrupted([&] { return ::poll(files.data(), files.size(), -1); }) < 0)
      throw std::system_error(errno, std::generic_category(), caller + ": poll");
    for (std::size_t i = workers.size(); i-- > 0;) {
      Worker& worker = workers[i];
      if (files[i].revents == 0 || receive_output(worker, functions)) continue;
      const std::size_t index = worker.index;
      const WorkerReport report{std::move(worker.output), worker.process.wait()};
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
      functions.finish(index, report);
    }
  }
}

void run_pool(const std::string& caller, std::size_t count, int jobs,
              const std::function<std::string(std::size_t)>& work,
              const std::function<void(std::size_t, const WorkerReport&)>& finish) {
  run_pool(caller, count, jobs,
           {.work = [&](std::size_t i, int output) { ref::io::write_all(output, work(i)); },
            .finish = finish});
}

}  // namespace normproof::verification::support::process
