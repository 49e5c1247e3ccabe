#include "verification/studies/language/protocol.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace normproof::verification::studies::language {
namespace {

using training::Task;

/// Returns the hash of the protocol in the file study.json of a folder of documented results.
std::string documented_protocol(const std::string& folder) {
  std::ifstream file(std::string(NORMPROOF_SOURCE_DIR "/verification/studies/language/results/") +
                     folder + "/study.json");
  return nlohmann::json::parse(file).at("protocol_sha256").get<std::string>();
}

// If this test fails, a cell trains differently than before, and the documented results must be
// computed again.
TEST(LanguageStudyProtocol, IsThatOfTheDocumentedResults) {
  EXPECT_EQ(protocol_sha256(Task::language), documented_protocol("language"));
  EXPECT_EQ(protocol_sha256(Task::language), documented_protocol("quick"));
  EXPECT_EQ(protocol_sha256(Task::translate), documented_protocol("translate"));
  EXPECT_EQ(protocol_sha256(Task::translate), documented_protocol("translate_quick"));
  EXPECT_NE(protocol_sha256(Task::language), protocol_sha256(Task::translate));
}

}  // namespace
}  // namespace normproof::verification::studies::language
