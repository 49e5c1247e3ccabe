#include "verification/checks/evaluation/tensor_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

const std::vector<StoredTensor> kFile = {
    ref::io::make_tensor("labels", DType::int64, {3}, std::vector<double>{0, 2, 1}),
    ref::io::make_tensor("valid", DType::float32, {2}, std::vector<double>{1, 0.5})};

template <class F>
void expect_error_sentence(F f, const char* sentence) {
  EXPECT_THAT(f, ThrowsMessage<ref::numeric::FileError>(StrEq(sentence)));
}

TEST(TensorReader, ErrorsNameFileTensorAndWhatIsExpected) {
  const TensorReader reader("f.npz", kFile);
  expect_error_sentence(
      [&] {
        reader.check_names({"label", "valid"});
      },
      "f.npz: unknown tensor 'labels'; did you mean 'label'? known: label, valid");
  expect_error_sentence([&] { (void)reader.required("x", "the tensor x"); },
                        "f.npz: x is absent; expected the tensor x");
  expect_error_sentence([&] { reader.check_shape(kFile[0], {2}); },
                        "f.npz: labels has shape [3]; expected shape [2]");
  expect_error_sentence([&] { (void)reader.mask_values(kFile[1]); },
                        "f.npz: valid has the element [1] = 0.5; expected booleans, or 0 and 1");
  expect_error_sentence([&] { (void)reader.ids(kFile[0], 2); },
                        "f.npz: labels has the element 2; expected whole numbers from 0 to 1");
  EXPECT_EQ(reader.find("x"), nullptr);
  EXPECT_THAT(reader.ids(*reader.find("labels"), 3), ElementsAre(0, 2, 1));
}

TEST(TensorReader, SliceReturnsOneStepAndNonzeroElementsBecomeTrue) {
  const auto part = select_step_slice({1, 2, 0, 4}, 1, {2});
  EXPECT_THAT(part, ElementsAre(0, 4));
  EXPECT_THAT(convert_to_mask(part), ElementsAre(false, true));
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
