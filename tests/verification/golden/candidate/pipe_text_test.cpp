#include "verification/golden/candidate/pipe_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::candidate {
namespace {

using normproof::ref::numeric::error_message;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> list_words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

TEST(PipeProtocol, WritesACaseAsOneLineOfWords) {
  Case c = layer_norm_case_of_one_and_three("0.5", DType::float32);
  EXPECT_EQ(case_to_line(c),
            "quick/layer_norm/sample-1x2-float32 layer_norm training eps=0.5 "
            "grad_y:float32:1x2 0x1p+0 0x0p+0 x:float32:1x2 0x1p+0 0x1.8p+1");
  const Case steps = plain_recipe("power_norm", {2, 1})
                         .steps(2)
                         .inference()
                         .x([](std::size_t i, double) {
                           return i == 0 ? kGoldenNaN : i == 1 ? kGoldenInfinity : -kGoldenInfinity;
                         })
                         .pads([](std::size_t row) { return row == 1; })
                         .make(1);
  const std::string line = case_to_line(steps);
  EXPECT_THAT(line, AllOf(StartsWith("quick/power_norm/sample-2x2x1-float64 power_norm inference "
                                     "sequence eps=1e-05 "),
                          HasSubstr(" warmup_iterations=0 "), HasSubstr(" iterations:int64:1 2 "),
                          HasSubstr(" valid:boolean:2x2 1 0 1 1 "), Not(HasSubstr("  ")),
                          Not(HasSubstr("\n"))));
  EXPECT_TRUE(line.ends_with(" x:float64:2x2x1 nan inf -inf -inf")) << line;
}

/// The line that describes a case starts with a few words. The rest has the format of a line of
/// outputs, so the parser of outputs can read it back.
TEST(PipeProtocol, ReadsBackTheSameBits) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const Case c = plain_recipe("power_norm", {3, 4}, dtype)
                       .x([](std::size_t i, double normal) {
                         return i == 3 ? -0.0 : i == 5 ? -kGoldenInfinity : 1e-5 * normal;
                       })
                       .pads([](std::size_t row) { return row == 1; })
                       .make(1);
    std::string answer = "p";
    for (const std::string& word : list_words(case_to_line(c)))
      if (answer != "p" || word.starts_with(c.inputs[0].name + ":")) answer += " " + word;
    EXPECT_EQ(parse_output_line(answer, "p"), c.inputs);
    EXPECT_EQ(answer, output_line("p", c.inputs));
  }
}

TEST(PipeProtocol, RecognizesDeclinedCasesAndErrors) {
  EXPECT_EQ(parse_decline_line("q/a not_offered", "q/a"), "");
  EXPECT_EQ(parse_decline_line(" q/a\tnot_offered \r", "q/a"), "");
  EXPECT_EQ(parse_decline_line("q/a not_offered it  takes no\tmask ", "q/a"), "it takes no mask");
  EXPECT_EQ(parse_error_line("q/a error", "q/a"), "");
  EXPECT_EQ(parse_error_line("q/a error ValueError: y:float64:1 1", "q/a"),
            "ValueError: y:float64:1 1");
  for (const char* line : {"q/a", "q/b not_offered", "not_offered", "q/b error", "q/a error:",
                           "q/a not_offered:float64:1 1", "q/a notoffered", "q/a y error", ""}) {
    EXPECT_EQ(parse_decline_line(line, "q/a"), std::nullopt) << line;
    EXPECT_EQ(parse_error_line(line, "q/a"), std::nullopt) << line;
  }
  EXPECT_EQ(parse_error_line("q/a error " + std::string(5000, 'x'), "q/a").value().size(), 998u);
}

TEST(PipeProtocol, ReadsNumbersInEveryNotation) {
  const auto tensors = parse_output_line(
      " p\ty:float64:11 0.1 -1e-5 0x1.8p+1 0X1P-1074 +3 -0 nan -inf infinity 7. 0x.8  n:int64: 7\r",
      "p");
  ASSERT_EQ(tensors.size(), 2u);
  const std::vector<double> y = ref::io::widen(tensors[0]);
  const std::vector<double> expected = {
      0.1, -1e-5, 3, 0x1p-1074, 3, -0.0, 0.0, -kGoldenInfinity, kGoldenInfinity, 7, 0.5};
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i == 6)
      EXPECT_TRUE(std::isnan(y[i]));
    else
      EXPECT_EQ(y[i], expected[i]) << i;
  }
  EXPECT_TRUE(std::signbit(y[5]));
  EXPECT_TRUE(tensors[1].shape.empty());
  EXPECT_THAT(ref::io::widen(tensors[1]), ElementsAre(7.0));
  EXPECT_TRUE(parse_output_line("p y:float32:0x3", "p")[0].bytes.empty());
}

TEST(PipeProtocol, ReportsEachMalformedLineInOneSentence) {
  const auto refused = [](const std::string& line, const std::string& what) {
    EXPECT_THAT(file_error_message([&] { parse_output_line(line, "a/path"); }),
                AllOf(StartsWith("the answer to a/path: "), HasSubstr(what), Not(HasSubstr("\n"))))
        << line;
  };
  refused("", "the line is empty; expected the path of the case and its outputs");
  refused("  \t", "the line is empty");
  refused("other/path y:float64:1 1", "the line begins with 'other/path'; expected the path");
  refused("a/path", "word 1 holds no tensor; expected name:dtype:shape and its elements");
  refused("a/path y", "word 1 is 'y'; expected name:dtype:shape, such as y:float32:7x16");
  refused("a/path y:1 1", "word 1 is 'y:1'");
  refused("a/path :float32:1 1", "word 1 is ':float32:1'");
  refused("a/path y:float8:1 1", "word 1 has the dtype 'float8'; expected float64, ");
  for (const char* shape : {"2x", "x2", "2xx2", "-1", "a", "2,2", "1e3", "99999999999999999999"})
    refused("a/path y:float32:" + std::string(shape) + " 1 1", "has the shape '");
  refused("a/path y:float32:3 1 2",
          "is 'y:float32:3', and the words that follow are 2; expected as many");
  refused("a/path y:float32:99999999999 1", "and the words that follow are 1");
  refused("a/path y:float32:4294967296x4294967296x4294967296 1", "and the words that follow are 1");
  refused("a/path y:float32:1 1 2", "word 3 is '2'; expected name:dtype:shape");
  refused("a/path y:float32:2 1 z:float32:1 1",
          "word 3 is 'z:float32:1'; expected a number, for "
          "y:float32:2 has 2 elements");
  for (const char* number : {"1,5", "0x", "--1", "+-1", "1e", "1f", "0x1p", "NULL", "1_0"})
    refused("a/path y:float64:1 " + std::string(number), "expected a number");
  refused("a/path y:float32:1 0.1", "a value that float32 holds");
  refused("a/path y:float16:1 65520", "a value that float16 holds");
  refused("a/path n:int64:1 1.5", "a value that int64 holds");
  refused("a/path n:int64:1 nan", "a value that int64 holds");
  refused("a/path " + std::string(100'000, 'y'), "is '" + std::string(40, 'y') + "'");
}

TEST(ParseOutputLine, RejectsARepeatedOutput) {
  EXPECT_THAT(error_message<ref::numeric::FileError>(
                  [] { parse_output_line("p y:float32:1 0x1p+0 y:float32:1 0x1p+1", "p"); }),
              HasSubstr("a second 'y'; expected every output once"));
}

}  // namespace
}  // namespace normproof::verification::golden::candidate
