#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_layers.hpp"

// The bounds of encoders and Transformers, which follow the derivatives of their operations.
namespace normproof::verification::golden::tolerance {
namespace {

using plain::Style;

/// Returns correct styles of an implementation: each order of sums with each way to compute
/// statistics, softmax, quotients and roots.
std::vector<Style> correct_styles() {
  using Sum = Style::Sum;
  std::vector<Style> styles;
  for (const Sum sum : {Sum::forwards, Sum::backwards, Sum::pairwise, Sum::strided, Sum::two_stages,
                        Sum::in_double})
    for (const Style& form :
         {Style{}, Style{.welford = true}, Style{.reciprocal = true}, Style{.divide = true},
          Style{.powers = true}, Style{.from_y = true}, Style{.welford = true, .merged = true},
          Style{.shifted = true}, Style{.fused = true}, Style{.units = 2}, Style{.units = -2}}) {
      styles.push_back(form);
      styles.back().sum = sum;
    }
  return styles;
}

std::vector<StoredCase> read_models(const std::string& glob) {
  const std::filesystem::path folder =
      std::string(NORMPROOF_SOURCE_DIR) + "/verification/golden/data";
  const auto descriptions = certify::list_corpus(folder, glob);
  std::vector<StoredCase> cases;
  cases.reserve(descriptions.size());
  for (const auto& description : descriptions)
    cases.push_back(certify::read_case(folder, description));
  return cases;
}

/// The largest ratio of error and bound of the correct styles below, over the encoder and decoder
/// layers of the quick tier in float32. Recorded on 28 November 2026.
constexpr double kRecordedRatio = 0.294;
/// The largest of the smallest relative errors that the bounds of an output exclude, over the
/// outputs of the encoder layers post_layer_norm in float32. Recorded on 28 November 2026.
constexpr double kRecordedSmallestError = 1.02e-3;

/// Checks a measured number against the recorded one. A much smaller number is recorded anew, so
/// that it does not grow again unseen.
void expect_recorded(double measured, double recorded) {
  constexpr double kMargin = 1.05;
  EXPECT_LE(measured, recorded * kMargin);
  EXPECT_GE(measured, recorded / kMargin);
}

TEST(BoundsOfModels, AcceptRightImplementationsWithSumsInOtherOrders) {
  double largest_ratio = 0;
  std::size_t answers = 0;
  for (const char* glob : {"quick/encoder_layer/*float32", "quick/decoder_layer/*float32"})
    for (const StoredCase& stored : read_models(glob)) {
      const Case& c = stored.description.c;
      const auto inputs = inputs_of(c);
      const Tolerance bounds = derive_tolerance(c, inputs, Accumulation::float32);
      for (const Style& style : correct_styles()) {
        plain::Sites sites;
        const auto answer = plain::run_plain(c, inputs, style, sites);
        for (const auto& tensor : gate::check_case(stored, answer, {}, bounds).tensors) {
          EXPECT_TRUE(tensor.passed()) << case_folder(c) << " " << tensor.name;
          largest_ratio = std::max(largest_ratio, tensor.ratio);
        }
        ++answers;
      }
    }
  EXPECT_GE(answers, 66u);
  expect_recorded(largest_ratio, kRecordedRatio);
}

TEST(BoundsOfModels, RejectSmallErrorsInFloat32) {
  double largest = 0;
  for (const StoredCase& stored : read_models("quick/encoder_layer/post_layer_norm*float32")) {
    std::vector<StoredTensor> answer;
    for (const StoredTensor& tensor : stored.expected)
      if (!tensor.name.ends_with("_lo")) answer.push_back(tensor);
    for (const auto& tensor : gate::check_case(stored, answer, {}).tensors)
      largest = std::max(largest, tensor.smallest_found_error);
  }
  expect_recorded(largest, kRecordedSmallestError);
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
