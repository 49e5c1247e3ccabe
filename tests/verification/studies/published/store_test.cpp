#include "verification/studies/published/store.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::studies::published {
namespace {

using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
using normproof::verification::studies::published::Store;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ResultStore : public ::testing::Test {
 protected:
  ResultStore() { store_.begin("identity\n"); }
  void add(const std::string& name, const std::string& result) const {
    store_.add(*store_.claim(name), result, 1.5);
  }
  std::string text() const {
    std::ifstream file(folder_ / "results.jsonl", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(folder_ / "results.jsonl", std::ios::binary) << bytes;
  }

  tests::ref::io::TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(ResultStore, KeepsResultsAndTheirTimes) {
  EXPECT_THAT(store_.results(), ElementsAre());
  add("b/1x32", R"({"loss":0.5})");
  add("a/1x32", R"({"result":{"x":[1]}})");
  EXPECT_THAT(store_.results(), ElementsAre(Pair("a/1x32", R"({"result":{"x":[1]}})"),
                                            Pair("b/1x32", R"({"loss":0.5})")));
  EXPECT_THAT(store_.names(), ElementsAre("a/1x32", "b/1x32"));
  EXPECT_THAT(store_.times(), ElementsAre(Pair("a/1x32", 1.5), Pair("b/1x32", 1.5)));
  EXPECT_EQ(store_.identity(), "identity\n");
}

TEST_F(ResultStore, C1_RejectsNamesWithOtherCharacters) {
  for (const char* name : {"a b", "a\"", "a\n", "a~b", "\xc3\xa4"})
    EXPECT_EQ(
        contract_message([&] { store_.claim(name); }),
        fmt::format("Store::claim: name is '{}'; expected letters, digits and _ + - . / alone "
                    "(C1)",
                    name));
}

TEST_F(ResultStore, C2_RejectsResultsThatAreNotAnObjectInOneLine) {
  const auto claim = store_.claim("a");
  for (const char* result : {"", "1", "{} ", "{\n}"})
    EXPECT_EQ(
        contract_message([&] { store_.add(*claim, result, 1); }),
        fmt::format("Store::add: result is '{}'; expected a JSON object in one line (C2)", result));
  EXPECT_EQ(text(), "");
}

TEST_F(ResultStore, SortingMakesTheBytesIndependentOfTheOrder) {
  add("b", "{}");
  add("a", "{}");
  const std::string unsorted = text();
  store_.sort();
  const std::string sorted = text();
  EXPECT_NE(sorted, unsorted);
  write("");
  add("a", "{}");
  add("b", "{}");
  EXPECT_EQ(text(), sorted);
}

TEST_F(ResultStore, TaskIsClaimedOnceAndNotAfterItIsDone) {
  auto claim = store_.claim("a");
  ASSERT_TRUE(claim);
  EXPECT_FALSE(store_.claim("a"));
  EXPECT_TRUE(store_.claim("b"));
  store_.add(*claim, "{}", 1);
  claim.reset();
  EXPECT_FALSE(store_.claim("a"));
}

// At its end, a process sorts the results and removes the folder of locks if it is empty. Meanwhile
// other processes may claim tasks.
TEST_F(ResultStore, TaskCanBeClaimedWhileAnotherProcessEnds) {
  std::atomic<bool> over = false;
  std::thread other([&] {
    const Store same(folder_.path());
    while (!over) same.sort();
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string name = fmt::format("cell-{}", i % 3);
    EXPECT_NO_THROW(EXPECT_TRUE(store_.claim(name)));
    std::filesystem::remove(folder_ / "locks" / (name + ".lock"));
  }
  over = true;
  other.join();
}

TEST_F(ResultStore, ClaimEndsWithItsProcess) {
  const pid_t process = ::fork();
  if (process == 0) {
    const auto claim = store_.claim("a");
    ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  ::waitpid(process, nullptr, 0);
  EXPECT_TRUE(store_.claim("a"));
}

TEST_F(ResultStore, ProcessesMayCreateTheSameFolderAtOnce) {
  constexpr int kRankCount = 4;
  for (int round = 0; round < 100; ++round) {
    const auto folder = folder_ / std::to_string(round);
    std::atomic<int> ready = 0;
    std::vector<std::string> failures(kRankCount);
    std::vector<std::thread> ranks;
    ranks.reserve(kRankCount);
    for (std::string& failure : failures)
      ranks.emplace_back([&] {
        const Store store(folder);
        for (++ready; ready < kRankCount;) std::this_thread::yield();
        try {
          store.begin("identity\n");
        } catch (const std::exception& error) {
          failure = error.what();
        }
      });
    for (std::thread& rank : ranks) rank.join();
    EXPECT_THAT(failures, testing::Each("")) << "round " << round;
    EXPECT_EQ(Store(folder).identity(), "identity\n");
  }
}

TEST_F(ResultStore, PartialLastLineCountsAsMissingAndIsRemovedWithAWarning) {
  add("a", "{}");
  const std::string before = text();
  add("b", "{}");
  const std::string after = text();
  for (std::size_t cut = before.size() + 1; cut < after.size(); ++cut) {
    write(after.substr(0, cut));
    std::vector<std::string> said;
    const Store store(folder_.path(), [&](const std::string& s) { said.push_back(s); });
    EXPECT_THAT(store.results(), ElementsAre(Pair("a", "{}"))) << cut;
    store.add(*store.claim("b"), "{}", 1.5);
    EXPECT_THAT(said, ElementsAre(HasSubstr("results.jsonl: the last line is cut off")));
    EXPECT_EQ(text(), after) << cut;
  }
}

TEST_F(ResultStore, AlteredLineIsAnErrorWithFileAndLine) {
  add("a", R"({"loss":1})");
  add("b", R"({"loss":2})");
  const std::string whole = text();
  const std::size_t second = whole.find('\n') + 1;
  for (std::size_t place = 0; place + 1 < whole.size(); ++place) {
    std::string altered = whole;
    altered[place] = altered[place] == '\n' ? ' ' : static_cast<char>(altered[place] ^ 1);
    write(altered);
    EXPECT_THAT(error_message<FileError>([&] { store_.results(); }),
                HasSubstr(place < second ? "results.jsonl: line 1 is altered"
                                         : "results.jsonl: line 2 is altered"))
        << altered;
  }
  write(whole + whole.substr(0, second));
  EXPECT_THAT(error_message<FileError>([&] { store_.results(); }),
              HasSubstr("line 3 has the name of a line before it"));
}

TEST_F(ResultStore, FolderBelongsToOneStudy) {
  store_.begin("identity\n");
  EXPECT_THAT(error_message<UsageError>([&] { store_.begin("another\n"); }),
              HasSubstr("is the folder of a study of other data"));
  const tests::ref::io::TemporaryFolder other;
  EXPECT_THAT(error_message<FileError>([&] { Store(other.path()).identity(); }),
              HasSubstr("holds no study"));
  EXPECT_THAT(error_message<FileError>([&] { Store(other / "absent").identity(); }),
              HasSubstr("absent: is no folder"));
  std::ofstream(other / "x") << "x";
  EXPECT_THAT(error_message<UsageError>([&] { Store(other.path()).begin("identity\n"); }),
              HasSubstr("holds something that is no study"));
  EXPECT_THAT(error_message<FileError>([&] { Store(other / "x").begin("identity\n"); }),
              HasSubstr("cannot write"));
}

TEST_F(ResultStore, ResultsOfOtherDataAreAnErrorWithFileAndLine) {
  const std::string our_hash(64, 'a'), their_hash(64, 'b');
  const auto of = [](const std::string& sha256) {
    return fmt::format(R"({{"data_sha256":"{}"}})", sha256);
  };
  add("a", of(our_hash));
  store_.check_data(our_hash);
  add("b", of(their_hash));
  EXPECT_THAT(error_message<FileError>([&] { store_.check_data(our_hash); }),
              HasSubstr(fmt::format("results.jsonl: line 2: data_sha256 is {}; expected {}",
                                    their_hash, our_hash)));
  store_.check_data([&](const std::string& name) { return name == "a" ? our_hash : their_hash; });
  EXPECT_THAT(error_message<FileError>(
                  [&] { store_.check_data([&](const std::string& name) { return name; }); }),
              HasSubstr(fmt::format("line 1: data_sha256 is {}; expected a,", our_hash)));
  write("");
  add("a", "{}");
  EXPECT_THAT(error_message<FileError>([&] { store_.check_data(our_hash); }),
              HasSubstr("line 1: data_sha256 is absent"));
}

TEST_F(ResultStore, RejectsResultsWithoutStudyJsonAndKeepsADamagedOne) {
  const auto refuse = [](const std::string&) { throw FileError("is damaged"); };
  EXPECT_THAT(error_message<FileError>([&] { store_.begin("another\n", refuse); }), "is damaged");
  std::ofstream(folder_ / "study.json", std::ios::trunc).close();
  EXPECT_THAT(error_message<FileError>([&] { store_.begin("identity\n"); }), HasSubstr("is empty"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "study.json"), 0U);
  EXPECT_THAT(error_message<FileError>([&] { store_.identity(); }), HasSubstr("is empty"));
  add("a", "{}");
  std::filesystem::remove(folder_ / "study.json");
  const auto sentence = HasSubstr("results.jsonl: the whole has no study.json beside it");
  EXPECT_THAT(error_message<FileError>([&] { store_.begin("identity\n"); }), sentence);
  EXPECT_THAT(error_message<FileError>([&] { store_.identity(); }), sentence);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "study.json"));
  write("");
  store_.begin("identity\n");
  EXPECT_EQ(store_.identity(), "identity\n");
}

TEST_F(ResultStore, FullDiskLeavesTheFileUnchanged) {
  add("a", "{}");
  const std::string before = text();
  const pid_t process = ::fork();
  if (process == 0) {
    // Limits the file size, which has the same effect as a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {before.size() + 10, before.size() + 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      add("b", "{}");
    } catch (const FileError& error) {
      ::_exit(std::string(error.what()).find("results.jsonl") == std::string::npos ? 1 : 7);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
