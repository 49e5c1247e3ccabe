#include "verification/support/process/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <stdexcept>
#include <vector>

#include "ref/io/descriptor.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/support/process/pipe.hpp"

namespace normproof::verification::support::process {
namespace {

using ::testing::ElementsAre;

std::map<std::size_t, WorkerReport> run(std::size_t count, int jobs,
                                        const std::function<std::string(std::size_t)>& work) {
  std::map<std::size_t, WorkerReport> reports;
  run_pool("test", count, jobs, work, [&](std::size_t i, const WorkerReport& report) {
    EXPECT_TRUE(reports.emplace(i, report).second) << i;
  });
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  return reports;
}

TEST(RunPool, ReturnsEveryTextForAnyNumberOfJobs) {
  for (const int jobs : {1, 2, 9}) {
    const auto reports = run(5, jobs, [](std::size_t i) { return std::to_string(i * i) + "\n"; });
    ASSERT_EQ(reports.size(), 5u);
    for (const auto& [i, report] : reports) {
      EXPECT_EQ(report.text, std::to_string(i * i) + "\n");
      EXPECT_TRUE(report.ending.succeeded());
    }
  }
  EXPECT_TRUE(run(0, 2, [](std::size_t) { return ""; }).empty());
}

TEST(RunPool, C1_RejectsFewerThanOneJob) {
  for (const int jobs : {0, -1})
    EXPECT_EQ(ref::numeric::contract_message([&] { run(1, jobs, [](std::size_t) { return ""; }); }),
              "test: jobs is " + std::to_string(jobs) + "; expected at least 1 (C1)");
}

TEST(RunPool, ReturnsTextsLargerThanAPipe) {
  const auto text = [](std::size_t i) {
    return std::string(700'000 + i, static_cast<char>('a' + i)) + "\nlast";
  };
  const auto reports = run(3, 3, text);
  ASSERT_EQ(reports.size(), 3u);
  for (const auto& [i, report] : reports) EXPECT_EQ(report.text, text(i)) << i;
}

TEST(RunPool, ReportsADeadProcessAndKeepsTheOthers) {
  const auto reports = run(4, 2, [](std::size_t i) -> std::string {
    if (i == 1) ::raise(SIGKILL);
    if (i == 2) ::_exit(6);
    return "fine";
  });
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports.at(1).ending.to_text(), "signal 9 (Killed)");
  EXPECT_EQ(reports.at(1).text, "");
  EXPECT_EQ(reports.at(2).ending.to_text(), "status 6");
  for (const std::size_t i : {0u, 3u}) EXPECT_EQ(reports.at(i).text, "fine");
}

TEST(RunPool, ReportsProcessesInTheOrderTheyEnd) {
  std::vector<std::size_t> order;
  run_pool(
      "test", 2, 2,
      [](std::size_t i) {
        if (i == 0) ::usleep(300'000);
        return std::string();
      },
      [&](std::size_t i, const WorkerReport&) { order.push_back(i); });
  EXPECT_THAT(order, ElementsAre(1, 0));
}

TEST(RunPool, ReportsOutputWhileAProcessRuns) {
  Pipe answer = make_pipe("pipe");
  std::string heard;
  const auto work = [&](std::size_t, int output) {
    ref::io::write_all(output, "first;");
    LineReader(answer.reading.get()).next();  // the parent writes this after the first output
    ref::io::write_all(output, "last");
  };
  const auto receive = [&](std::size_t i, std::string& output) {
    EXPECT_EQ(i, 0u);
    heard += output.substr(0, output.find(';'));
    output.erase(0, output.find(';') == std::string::npos ? 0 : output.find(';') + 1);
    ref::io::write_all(answer.writing.get(), "\n");
  };
  std::string left;
  run_pool("test", 1, 1,
           {.work = work,
            .receive = receive,
            .finish = [&](std::size_t, const WorkerReport& report) { left = report.text; }});
  EXPECT_EQ(heard, "firstlast");
  EXPECT_EQ(left, "last");
}

TEST(RunPool, KillsRunningProcessesIfTheReceiveCallbackThrows) {
  const auto work = [](std::size_t i, int output) {
    if (i == 1) ::pause();
    ref::io::write_all(output, "x");
  };
  EXPECT_THROW(
      run_pool("test", 2, 2,
               {.work = work,
                .receive = [](std::size_t, std::string&) { throw std::runtime_error("stop"); },
                .finish = [](std::size_t, const WorkerReport&) {}}),
      std::runtime_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(RunPool, KillsRunningProcessesIfTheFinishCallbackThrows) {
  const auto work = [](std::size_t i) -> std::string {
    if (i == 1) ::pause();
    return "x";
  };
  EXPECT_THROW(run_pool("test", 2, 2, work,
                        [](std::size_t, const WorkerReport&) { throw std::runtime_error("stop"); }),
               std::runtime_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace normproof::verification::support::process
