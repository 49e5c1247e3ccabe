#include "verification/studies/language/protocol.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace normproof::verification::studies::language {
namespace {

using training::Task;

/// Returns the hash of the protocol in the file study.json of a folder of documented results.
std::string read_documented_protocol_hash(const std::string& folder) {
  std::ifstream file(std::string(NORMPROOF_SOURCE_DIR "/verification/studies/language/results/") +
                     folder + "/study.json");
  return nlohmann::json::parse(file).at("protocol_sha256").get<std::string>();
}

// If this test fails, a cell trains differently than before, and the documented results must be
// computed again.
TEST(LanguageStudyProtocol, IsThatOfTheDocumentedResults) {
  EXPECT_EQ(protocol_sha256(Task::language), read_documented_protocol_hash("language"));
  EXPECT_EQ(protocol_sha256(Task::language), read_documented_protocol_hash("quick"));
  EXPECT_EQ(protocol_sha256(Task::translate), read_documented_protocol_hash("translate"));
  EXPECT_EQ(protocol_sha256(Task::translate), read_documented_protocol_hash("translate_quick"));
  EXPECT_NE(protocol_sha256(Task::language), protocol_sha256(Task::translate));
}

}  // namespace
}  // namespace normproof::verification::studies::language
