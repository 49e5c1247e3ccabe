#include "verification/cli/regress_command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "verification/cli/command_line.hpp"
#include "verification/cli/help.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class T>
T regress_parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "regress");
  return std::get<T>(parse_command_line(arguments));
}

TEST(RegressCommandLine, RecordTakesItsOptions) {
  const auto plain =
      regress_parse<RegressRecordCommand>({"record", "--golden", "g", "--history", "h", "--self"});
  EXPECT_EQ(plain.golden, "g");
  EXPECT_EQ(plain.history, "h");
  EXPECT_FALSE(plain.candidate || plain.pipe);
  EXPECT_EQ(plain.label, "");
  EXPECT_EQ(plain.only, "*");
  EXPECT_EQ(plain.timeout, 60);
  EXPECT_GE(plain.jobs, 1);
  const auto full = regress_parse<RegressRecordCommand>({"record", "--golden=g", "--history=h",
                                                         "--pipe", "p", "--timeout", "5", "--label",
                                                         "v1", "--only", "quick/*", "--jobs", "3"});
  EXPECT_EQ(full.pipe, "p");
  EXPECT_EQ(full.timeout, 5);
  EXPECT_EQ(full.label, "v1");
  EXPECT_EQ(full.only, "quick/*");
  EXPECT_EQ(full.jobs, 3);
  EXPECT_EQ(regress_parse<RegressRecordCommand>(
                {"record", "--golden=g", "--history=h", "--candidate", "c"})
                .candidate,
            "c");
}

TEST(RegressCommandLine, CompareTakesItsOptions) {
  const auto plain = regress_parse<RegressCompareCommand>({"compare", "--history", "h"});
  EXPECT_EQ(plain.history, "h");
  EXPECT_FALSE(plain.from || plain.to || plain.allow_towards || plain.html || plain.json ||
               plain.junit);
  const auto full = regress_parse<RegressCompareCommand>(
      {"compare", "--history", "h", "--from", "a", "--to", "@2", "--allow", "towards", "--html",
       "r.html", "--json", "r.json", "--junit", "r.xml"});
  EXPECT_EQ(full.from, "a");
  EXPECT_EQ(full.to, "@2");
  EXPECT_TRUE(full.allow_towards);
  EXPECT_EQ(full.html, "r.html");
  EXPECT_EQ(full.json, "r.json");
  EXPECT_EQ(full.junit, "r.xml");
}

TEST(RegressCommandLine, ErrorsAreOneSentenceThatHelps) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "regress");
    EXPECT_THAT([&arguments] { parse_command_line(arguments); },
                testing::ThrowsMessage<normproof::ref::numeric::UsageError>(
                    AllOf(HasSubstr(message), Not(HasSubstr("\n")))))
        << message;
  };
  const auto record = [&](std::vector<std::string> more, const std::string& message) {
    more.insert(more.begin(), {"record", "--golden", "g", "--history", "h"});
    refused(more, message);
  };
  refused({},
          "no regress command is given; expected one of record, compare (see normproof "
          "regress --help)");
  refused({"recrod"}, "unknown regress command 'recrod'; did you mean 'record'?");
  refused({"record", "--golden", "g", "--self"}, "--history is required");
  refused({"record", "--history", "h", "--self"}, "--golden is required");
  refused({"compare"}, "--history is required");
  refused({"compare", "--history", "h", "--form", "a"},
          "unknown option '--form'; did you mean '--from'?");
  refused({"compare", "--history", "h", "--allow", "toward"}, "did you mean 'towards'?");
  refused({"compare", "--history", "h", "x"}, "unexpected argument 'x' of regress compare");
  record({}, "none of --candidate, --pipe and --self are given; expected one");
  record({"--self", "--pipe", "p"}, "several of --candidate, --pipe and --self");
  record({"--pipe", ""}, "--pipe is ''");
  record({"--self", "--label", ""}, "--label is ''");
  record({"--self", "--label", "@1"},
         "--label is '@1'; expected a text that does not begin with @");
  record({"--self", "--timeout", "0"}, "--timeout is '0'");
  record({"--self", "--jobs", "0"}, "--jobs is '0'");
}

TEST(RegressCommandLine, HelpHasExamplesAndFitsATerminal) {
  for (const std::string& text :
       {regress_footer(), regress_record_footer(), regress_compare_footer()}) {
    EXPECT_THAT(text, HasSubstr("Examples:\n  normproof regress "));
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
  EXPECT_THAT(regress_parse<TextCommand>({"compare", "--help"}).text,
              AllOf(HasSubstr("--allow"), HasSubstr("Exit status 1"), HasSubstr("Examples:")));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
