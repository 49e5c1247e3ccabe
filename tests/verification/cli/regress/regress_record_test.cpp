#include "verification/cli/regress/regress_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::regress {
namespace {

using testing::HasSubstr;
using tool::regress::RegressRecordCommand;

TEST(RegressRecordOptions, ParsesEveryOption) {
  const auto plain =
      parse_command<RegressRecordCommand>({"--golden", "g", "--history", "h", "--self"});
  EXPECT_EQ(plain.golden, "g");
  EXPECT_EQ(plain.history, "h");
  EXPECT_TRUE(plain.self);
  EXPECT_FALSE(plain.candidate || plain.pipe);
  EXPECT_EQ(plain.label, "");
  EXPECT_EQ(plain.only, "*");
  EXPECT_EQ(plain.timeout, 60);
  const auto full = parse_command<RegressRecordCommand>({"--golden=g", "--history=h", "--pipe", "p",
                                                         "--timeout", "5", "--label", "v1",
                                                         "--only", "quick/*", "--jobs", "3"});
  EXPECT_EQ(full.pipe, "p");
  EXPECT_EQ(full.timeout, 5);
  EXPECT_EQ(full.label, "v1");
  EXPECT_EQ(full.only, "quick/*");
  EXPECT_EQ(full.jobs, 3);
  EXPECT_EQ(parse_command<RegressRecordCommand>({"--golden=g", "--history=h", "--candidate", "c"})
                .candidate,
            "c");
}

TEST(RegressRecordOptions, ErrorsNameInvalidOptions) {
  const auto refused = [](const Arguments& more, const std::string& what) {
    Arguments arguments = {"--golden", "g", "--history", "h"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(refusal<RegressRecordCommand>(arguments), HasSubstr(what));
  };
  EXPECT_THAT(refusal<RegressRecordCommand>({"--golden", "g", "--self"}),
              HasSubstr("--history is required"));
  EXPECT_THAT(refusal<RegressRecordCommand>({"--history", "h", "--self"}),
              HasSubstr("--golden is required"));
  refused({}, "none of --candidate, --pipe and --self is given; expected one of them");
  refused({"--self", "--pipe", "p"}, "--pipe and --self are given; expected one of");
  refused({"--pipe", ""}, "--pipe is ''");
  refused({"--self", "--label", ""}, "--label is ''");
  refused({"--self", "--label", "@1"},
          "--label is '@1'; expected a text that does not begin with @");
  refused({"--self", "--timeout", "0"}, "--timeout is '0'");
  refused({"--self", "--jobs", "0"}, "--jobs is '0'");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::regress
