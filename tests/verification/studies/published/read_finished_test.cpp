#include "verification/studies/published/read_finished.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::tests::verification::studies::published {
namespace {

using normproof::ref::numeric::FileError;
using normproof::verification::studies::published::read_finished_runs;
using testing::ElementsAre;
using testing::ThrowsMessage;

struct NamedResult {
  std::string name;
};
struct ReadCells {
  std::string cell;
  NamedResult result;
};

std::vector<std::string> read(const std::map<std::string, std::string>& lines) {
  const auto parse_cell = [](const std::string& name) {
    if (name == "none") throw normproof::ref::numeric::UsageError("cell is none");
    return "cell " + name;
  };
  const auto parse_result = [](const std::string& line, const std::string& place) {
    if (line.empty()) throw FileError(place + " is empty");
    return NamedResult{line};
  };
  std::vector<std::string> found;
  for (const auto& [name, own] :
       read_finished_runs<ReadCells>(lines, "f", parse_cell, parse_result))
    found.push_back(name + ", " + own.cell + ", " + own.result.name);
  return found;
}

TEST(ReadFinishedCells, PairsEachResultWithItsCell) {
  EXPECT_THAT(read({{"b", "b"}, {"a", "a"}}), ElementsAre("a, cell a, a", "b, cell b, b"));
}

TEST(ReadFinishedCells, ErrorNamesTheFileAndTheInvalidResult) {
  const auto refused = [](const std::string& name, const std::string& line) {
    return [=] { read({{name, line}}); };
  };
  EXPECT_THAT(
      refused("a", "b"),
      ThrowsMessage<FileError>("f: result of a says that it is of b; expected the same name"));
  EXPECT_THAT(refused("a", ""), ThrowsMessage<FileError>("f: result of a is empty"));
  EXPECT_THAT(refused("none", "none"), ThrowsMessage<FileError>("f: cell is none"));
}

}  // namespace
}  // namespace normproof::tests::verification::studies::published
