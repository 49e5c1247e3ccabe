#include "verification/studies/published/jobs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "gpu/device/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::error_message;
using normproof::verification::studies::published::JobsProgress;
using normproof::verification::studies::published::run_tasks;
using normproof::verification::studies::published::Runner;
using normproof::verification::studies::published::Store;
using normproof::verification::studies::published::Task;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<Task> make_twenty_tasks() {
  std::vector<Task> tasks;
  for (int i = 0; i < 20; ++i) tasks.push_back({fmt::format("t{}", i), 1.0 + i % 7});
  return tasks;
}

class StudyJobs : public ::testing::Test {
 protected:
  /// Returns a runner of tasks that appends the name of the task to a file, whatever process runs
  /// it.
  Runner runner() const {
    return [log = folder_ / "log"](const std::string& name) {
      std::ofstream(log, std::ios::app) << name + "\n" << std::flush;
      ::usleep(2'000);
      return fmt::format(R"({{"of":"{}"}})", name);
    };
  }
  std::string text(const std::string& file) const {
    std::ifstream stream(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  Store store(const std::string& name) const {
    Store made(folder_ / name);
    made.begin("identity\n");
    return made;
  }
  std::vector<std::string> list_executed_tasks() const {
    std::vector<std::string> lines;
    std::ifstream stream(folder_ / "log");
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  tests::ref::io::TemporaryFolder folder_;
};

TEST_F(StudyJobs, AnyNumberOfJobsGivesTheSameBytesAndRunsEachTaskOnce) {
  std::vector<std::string> seen;
  const auto one = run_tasks(store("a"), make_twenty_tasks(), runner(), {.jobs = 1});
  EXPECT_EQ(one.done_here, 20U);
  for (const auto& [name, seconds] : store("a").times()) EXPECT_GE(seconds, 0.002) << name;
  // The most expensive task runs first: 7, then 6, ...
  EXPECT_EQ(list_executed_tasks().at(0), "t6");
  EXPECT_EQ(list_executed_tasks().at(2), "t5");
  const auto four = run_tasks(store("b"), make_twenty_tasks(), runner(),
                              {.jobs = 4, .progress = [&](const JobsProgress& p) {
                                 seen.push_back(fmt::format("{}/{}", p.done, p.tasks));
                               }});
  EXPECT_EQ(four.done_here, 20U);
  EXPECT_THAT(seen, SizeIs(20));
  EXPECT_EQ(seen.back(), "20/20");
  EXPECT_EQ(text("a/results.jsonl"), text("b/results.jsonl"));
  EXPECT_THAT(list_executed_tasks(), SizeIs(40));
  const auto again = run_tasks(store("b"), make_twenty_tasks(), runner(), {.jobs = 4});
  EXPECT_EQ(again.done_before, 20U);
  EXPECT_THAT(list_executed_tasks(), SizeIs(40));
}

TEST_F(StudyJobs, TwoProgramsSharingAFolderRunEachTaskOnce) {
  const Store shared = store("a");
  const pid_t other = ::fork();
  if (other == 0) {
    run_tasks(shared, make_twenty_tasks(), runner(), {.jobs = 2});
    ::_exit(0);
  }
  const auto here = run_tasks(shared, make_twenty_tasks(), runner(), {.jobs = 2});
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(here.done_here + here.done_before + here.done_elsewhere, 20U);
  EXPECT_THAT(list_executed_tasks(), SizeIs(20));
  EXPECT_THAT(shared.results(), SizeIs(20));
}

TEST_F(StudyJobs, TaskOfAKilledWorkerIsTakenOver) {
  const Store shared = store("a");
  const auto once = folder_ / "killed";
  const Runner deadly = [&, run = runner()](const std::string& name) {
    if (name == "t3" && !std::filesystem::exists(once)) {
      std::ofstream(once) << "x";
      ::kill(::getpid(), SIGKILL);
    }
    return run(name);
  };
  const auto summary = run_tasks(shared, make_twenty_tasks(), deadly, {.jobs = 2});
  EXPECT_EQ(summary.done_here, 20U);
  EXPECT_THAT(shared.results(), SizeIs(20));
}

TEST_F(StudyJobs, NextCallRunsTheRemainingTasksIfAllWorkersAreKilled) {
  const Store shared = store("a");
  const Runner deadly = [run = runner()](const std::string& name) {
    if (name == "t0") ::kill(::getpid(), SIGKILL);  // the cheapest task, so it is claimed last
    return run(name);
  };
  EXPECT_THAT(error_message<std::runtime_error>(
                  [&] { run_tasks(shared, make_twenty_tasks(), deadly, {.jobs = 2}); }),
              HasSubstr("of 20; a worker was ended by signal 9; the same command"));
  EXPECT_FALSE(shared.results().contains("t0"));
  EXPECT_GT(shared.results().size(), 0U);
  const auto summary = run_tasks(shared, make_twenty_tasks(), runner(), {.jobs = 2});
  EXPECT_EQ(summary.done_before + summary.done_here, 20U);
  EXPECT_THAT(list_executed_tasks(), SizeIs(20));  // no task ran twice
}

TEST_F(StudyJobs, WorkersEndWithTheProcessThatStartedThem) {
  const Store shared = store("a");
  const pid_t other = ::fork();
  if (other == 0) {
    run_tasks(shared, {{"slow", 1}},
              [](const std::string&) -> std::string {
                for (;;) ::pause();
              },
              {.jobs = 1});
    ::_exit(0);
  }
  while (auto claim = shared.claim("slow")) {  // can be claimed until the worker claims it
    claim.reset();
    ::usleep(5'000);
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  bool freed = false;
  for (int tries = 0; tries < 1000 && !freed; ++tries) {
    freed = shared.claim("slow").has_value();
    ::usleep(5'000);
  }
  EXPECT_TRUE(freed);
}

TEST_F(StudyJobs, C1_RejectsZeroJobs) {
  EXPECT_EQ(
      contract_message([&] { run_tasks(store("a"), make_twenty_tasks(), runner(), {.jobs = 0}); }),
      "run_tasks: options.jobs is 0; expected at least 1 (C1)");
  EXPECT_TRUE(list_executed_tasks().empty());
}

TEST_F(StudyJobs, C2_RejectsADuplicateName) {
  std::vector<Task> tasks = make_twenty_tasks();
  tasks.push_back(tasks[7]);
  EXPECT_EQ(contract_message([&] { run_tasks(store("a"), tasks, runner(), {}); }),
            "run_tasks: tasks has 't7' twice; expected each name once (C2)");
  EXPECT_TRUE(list_executed_tasks().empty());
}

TEST_F(StudyJobs, ExceptionOfARunnerIsRethrown) {
  const auto thrower = [](auto error) {
    return [error](const std::string&) -> std::string { throw error; };
  };
  const std::vector<Task> tasks = {{"a", 1}};
  EXPECT_THAT(error_message<normproof::ref::numeric::UsageError>([&] {
                run_tasks(store("a"), tasks, thrower(normproof::ref::numeric::UsageError("u")), {});
              }),
              "u");
  EXPECT_THAT(error_message<normproof::ref::numeric::FileError>([&] {
                run_tasks(store("a"), tasks, thrower(normproof::ref::numeric::FileError("f")), {});
              }),
              "f");
  EXPECT_THAT(error_message<normproof::gpu::device::NoDeviceError>([&] {
                run_tasks(store("a"), tasks, thrower(normproof::gpu::device::NoDeviceError("n")),
                          {});
              }),
              "n");
  // The sentence is stored without its clause number, which is meant for readers of the contract.
  const normproof::ref::numeric::ContractError violation(
      {.function = "f",
       .argument = "x",
       .observation = "is 0",
       .expectation = "1",
       .clause = normproof::ref::numeric::Clause::C2});
  EXPECT_THAT(error_message<normproof::ref::numeric::ContractError>(
                  [&] { run_tasks(store("a"), tasks, thrower(violation), {}); }),
              "f: x is 0; expected 1");
  EXPECT_THAT(error_message<std::runtime_error>(
                  [&] { run_tasks(store("a"), tasks, thrower(std::runtime_error("e")), {}); }),
              "e");
}

TEST_F(StudyJobs, CallInAChildProcessRethrowsAndLeavesNoStateBehind) {
  int here = 1;
  normproof::verification::studies::published::try_in_child([&] { here = 2; });
  EXPECT_EQ(here, 1);
  EXPECT_THAT(error_message<normproof::gpu::device::NoDeviceError>([] {
                normproof::verification::studies::published::try_in_child(
                    [] { throw normproof::gpu::device::NoDeviceError("n"); });
              }),
              "n");
  EXPECT_THAT(error_message<std::runtime_error>([] {
                normproof::verification::studies::published::try_in_child([] { ::raise(SIGKILL); });
              }),
              "a process was ended by signal 9");
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
