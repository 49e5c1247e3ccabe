#include "verification/cli/train/train_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::cli::train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kStep =
    R"({"step":1,"epoch":1,"loss":1.5,"accuracy":0.5,"gradient_norm":2,"norms":{"layers.0.norm1":{"rstd":[1,2,3]}},"max_weighted_gamma":0.25,"sha256":"abc"})"
    "\n";
constexpr const char* kEpoch =
    R"({"epoch":1,"step":1,"validation_loss":1.25,"validation_accuracy":0.75,"validation_macro_f1":0.5})"
    "\n";

TEST(TrainPage, HasTheCurvesAndTheConfiguration) {
  const std::string page = train_page(std::string(kStep) + kEpoch, {});
  EXPECT_THAT(page, AllOf(HasSubstr("1 step;"), HasSubstr("<pre>abc</pre>"), HasSubstr("id=\"loss"),
                          HasSubstr("rstd of each norm"), HasSubstr("&quot;d_model&quot;: 32"),
                          HasSubstr("macro-F1")));
}

TEST(TrainPage, LanguageModelHasBitsPerCharacter) {
  const std::string page = train_page(
      R"({"step":1,"epoch":1,"loss":1.5,"perplexity":4.5,"bits_per_character":2.2,"gradient_norm":2,"norms":{},"sha256":"abc"})"
      "\n"
      R"({"epoch":1,"step":1,"validation_loss":1.25,"validation_perplexity":3.5,"validation_bits_per_character":1.8})"
      "\n",
      training::default_config(training::Task::language));
  EXPECT_THAT(page, AllOf(HasSubstr("Bits per character"), HasSubstr("&quot;context&quot;: 32")));
  EXPECT_EQ(page.find("Accuracy"), std::string::npos);
}

TEST(TrainPage, TranslatorHasBleuIfMeasured) {
  const std::string step =
      R"({"step":1,"epoch":1,"loss":1.5,"perplexity":4.5,"gradient_norm":2,"norms":{},"sha256":"abc"})"
      "\n";
  const auto page = [&](const std::string& bleu) {
    return train_page(
        step + R"({"epoch":1,"step":1,"validation_loss":1.25,"validation_perplexity":3.5)" + bleu +
            "}\n",
        training::default_config(training::Task::translate));
  };
  EXPECT_THAT(page(R"(,"validation_bleu":12.5)"),
              AllOf(HasSubstr(">BLEU<"), HasSubstr("&quot;max_length&quot;: 50")));
  EXPECT_EQ(page("").find(">BLEU<"), std::string::npos);
  EXPECT_EQ(page("").find("Accuracy"), std::string::npos);
}

TEST(TrainPage, ErrorNamesAnInvalidLine) {
  const auto message = [](const std::string& metrics) {
    return ref::numeric::error_message<ref::numeric::FileError>([&] { train_page(metrics, {}); });
  };
  EXPECT_THAT(message(std::string(kStep) + "{\"step\":2"), HasSubstr("metrics.jsonl: line 2"));
  EXPECT_THAT(message("{\"step\":2}\n"), HasSubstr("metrics.jsonl: line 1 is not a line of a run"));
}

}  // namespace
}  // namespace normproof::verification::cli::train
