#include "verification/cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::ref::numeric::UsageError;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

template <class T>
T parse(const std::vector<std::string>& arguments) {
  return std::get<T>(parse_command_line(arguments));
}

TEST(CommandLine, VerifyHasDefaults) {
  const auto verify = parse<VerifyCommand>({"verify"});
  EXPECT_EQ(verify.claims, "*");
  EXPECT_EQ(verify.seed, 1u);
  EXPECT_EQ(verify.cases, 1000u);
  EXPECT_GE(verify.jobs, 1);
  EXPECT_FALSE(verify.files.data || verify.files.vocab || verify.json || verify.junit ||
               verify.html);
}

TEST(CommandLine, VerifyTakesItsOptions) {
  const auto verify =
      parse<VerifyCommand>({"verify", "--claims", "A*,B1", "--seed=18446744073709551615", "--cases",
                            "5", "--jobs", "3", "--data", "d.txt", "--vocab", "v.txt", "--json",
                            "r.json", "--junit", "r.xml", "--html", "r.html"});
  EXPECT_EQ(verify.claims, "A*,B1");
  EXPECT_EQ(verify.seed, 18446744073709551615u);
  EXPECT_EQ(verify.cases, 5u);
  EXPECT_EQ(verify.jobs, 3);
  EXPECT_EQ(verify.files.data, "d.txt");
  EXPECT_EQ(verify.files.vocab, "v.txt");
  EXPECT_EQ(verify.json, "r.json");
  EXPECT_EQ(verify.junit, "r.xml");
  EXPECT_EQ(verify.html, "r.html");
}

TEST(CommandLine, EvalTakesItsOptions) {
  const auto plain = parse<EvalCommand>({"eval", "layer_norm", "--in", "a.npz", "--out", "b.npz"});
  EXPECT_EQ(plain.layer, "layer_norm");
  EXPECT_EQ(plain.in, "a.npz");
  EXPECT_EQ(plain.out, "b.npz");
  EXPECT_EQ(plain.scalar, EvalScalar::float64);
  EXPECT_EQ(plain.mode, normproof::ref::model::Mode::training);
  EXPECT_FALSE(plain.sequence);
  EXPECT_TRUE(plain.settings.empty());
  const auto full = parse<EvalCommand>({"eval", "--in", "a.npz", "--set", "eps=1e-3", "groups=2",
                                        "--set", "x=a=b", "--out", "b.npz", "--scalar", "interval",
                                        "--mode", "inference", "--sequence", "layer_norm"});
  using Settings = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(full.settings, (Settings{{"eps", "1e-3"}, {"groups", "2"}, {"x", "a=b"}}));
  EXPECT_EQ(full.layer, "layer_norm");
  EXPECT_EQ(full.scalar, EvalScalar::interval);
  EXPECT_EQ(full.mode, normproof::ref::model::Mode::inference);
  EXPECT_TRUE(full.sequence);
}

TEST(CommandLine, HelpIsEverywhere) {
  EXPECT_THAT(parse<TextCommand>({"--help"}).text,
              AllOf(HasSubstr("verify"), HasSubstr("eval"), HasSubstr("tokenize"),
                    HasSubstr("Exit status"), HasSubstr("Examples:")));
  EXPECT_THAT(parse<TextCommand>({"verify", "--help"}).text,
              AllOf(HasSubstr("--claims"), HasSubstr("--junit"), HasSubstr("Examples:")));
  EXPECT_THAT(parse<TextCommand>({"eval", "-h"}).text,
              AllOf(HasSubstr("--sequence"), HasSubstr("power_norm_released"),
                    HasSubstr("Examples:"), Not(HasSubstr("--claims"))));
  EXPECT_THAT(parse<TextCommand>({"--version"}).text, testing::MatchesRegex("normproof [0-9.]+\n"));
}

TEST(CommandLine, ErrorsAreOneSentenceThatHelps) {
  struct Bad {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<std::string> eval = {"eval", "layer_norm", "--in", "a.npz", "--out", "b.npz"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = eval;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::vector<Bad> all = {
      {{}, "no command is given; expected one of verify, eval, tokenize, elementary"},
      {{"verfy"}, "unknown command 'verfy'; did you mean 'verify'?"},
      {{"--verison"}, "unknown option '--verison'; did you mean '--version'?"},
      {{"verify", "--claim", "A"}, "unknown option '--claim'; did you mean '--claims'?"},
      {{"verify", "--claim=A"}, "unknown option '--claim'; did you mean '--claims'?"},
      {{"verify", "A3"}, "unexpected argument 'A3' of verify"},
      {{"verify", "tokenize"}, "more than one command"},
      {{"verify", "--seed", "-1"}, "--seed is '-1'; expected a whole number from 0"},
      {{"verify", "--seed", "1.5"}, "--seed is '1.5'"},
      {{"verify", "--seed", "18446744073709551616"}, "--seed is '18446744073709551616'"},
      {{"verify", "--seed", ""}, "--seed is ''"},
      {{"verify", "--seed"}, "--seed"},
      {{"verify", "--cases", "0"}, "--cases is '0'; expected a whole number from 1"},
      {{"verify", "--jobs", "0"}, "--jobs is '0'; expected a whole number from 1 to 1024"},
      {{"verify", "--html", ""}, "--html is ''; expected the name of a file"},
      {{"verify", "--seed", "1", "--seed", "2"}, "--seed is given more than once; expected once"},
      {with({"--set", "eps=1", "eps=2"}), "--set eps is given twice; expected once"},
      {{"eval"}, "LAYER is required"},
      {{"eval", "layer_norm", "--out", "b.npz"}, "--in is required"},
      {{"eval", "layer_norm", "--in", "a.npz"}, "--out is required"},
      {{"eval", "layer_norm", "--inn", "a.npz"}, "unknown option '--inn'; did you mean '--in'?"},
      {with({"more"}), "unexpected argument 'more' of eval"},
      {with({"--scalar", "oracle5"}), "unknown --scalar 'oracle5'; did you mean 'oracle50'?"},
      {with({"--mode", "train"}), "unknown --mode 'train'; did you mean 'training'?"},
      {with({"--set", "eps"}), "--set is 'eps'; expected NAME=VALUE"},
      {with({"--set", "=1"}), "--set is '=1'; expected NAME=VALUE"},
  };
  for (const auto& [arguments, message] : all) {
    const auto& given = arguments;
    EXPECT_THAT(([&given] { parse_command_line(given); }),
                ThrowsMessage<UsageError>(AllOf(HasSubstr(message), Not(HasSubstr("\n")))))
        << message;
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli
