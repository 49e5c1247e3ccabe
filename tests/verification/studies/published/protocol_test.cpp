#include "verification/studies/published/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::studies::published {
namespace {

using ::testing::HasSubstr;

std::string protocol_error_message(const std::string& name) {
  return ref::numeric::error_message<ref::numeric::UsageError>([&] { parse_protocol(name); });
}

TEST(StudyProtocol, EverySetOfFaultsHasANameThatParsesBack) {
  std::set<std::string> names;
  for (unsigned bits = 0; bits < 64; ++bits) {
    const auto on = [&](unsigned k) { return (bits >> k & 1) != 0; };
    const Protocol protocol{on(0), on(1), on(2), on(3), on(4), on(5)};
    const std::string name = protocol_name(protocol);
    EXPECT_EQ(parse_protocol(name), protocol) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 64u);
}

TEST(StudyProtocol, NameListsAddedOrRemovedFaults) {
  EXPECT_EQ(protocol_name({}), "corrected");
  EXPECT_EQ(protocol_name(published_protocol()), "published");
  EXPECT_EQ(protocol_name({.count_weights = true}), "corrected+count_weights");
  Protocol mended = published_protocol();
  mended.misaligned_labels = false;
  EXPECT_EQ(protocol_name(mended), "published-misaligned_labels");
  EXPECT_EQ(parse_protocol("corrected+published_model+misaligned_labels"),
            parse_protocol("corrected+misaligned_labels+published_model"));
  EXPECT_EQ(count_faults(mended), 5u);
}

TEST(StudyProtocol, ThereAreFourteenStandardProtocols) {
  std::set<std::string> names;
  for (const Protocol& protocol : standard_protocols()) names.insert(protocol_name(protocol));
  EXPECT_EQ(names.size(), 14u);
}

TEST(StudyProtocol, RejectsAnUnknownNameAndSuggestsTheNearest) {
  EXPECT_THAT(protocol_error_message("corected"), HasSubstr("did you mean 'corrected'"));
  EXPECT_THAT(protocol_error_message("corrected+count_weigths"),
              HasSubstr("did you mean 'count_weights'"));
  EXPECT_THAT(protocol_error_message("corrected-count_weights"), HasSubstr("added to 'corrected'"));
  EXPECT_THAT(protocol_error_message("published+count_weights"),
              HasSubstr("taken from 'published'"));
  EXPECT_THAT(protocol_error_message("corrected+"), HasSubstr("''"));
}

}  // namespace
}  // namespace normproof::verification::studies::published
