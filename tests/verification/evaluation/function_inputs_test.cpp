#include "verification/evaluation/function_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::evaluation {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Shape = std::vector<std::size_t>;

/// Zeros under a name.
StoredTensor zeros(const char* name, const Shape& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return ref::io::make_tensor(name, DType::float64, shape, std::vector<double>(size, 0));
}

operands::FunctionInputs read(std::string_view function, const std::vector<StoredTensor>& tensors) {
  return function_inputs(TensorReader("in.npz", tensors), function);
}

void expect_failure(std::string_view function, const std::vector<StoredTensor>& tensors,
                    const char* sentence) {
  EXPECT_THAT([&] { read(function, tensors); },
              ThrowsMessage<ref::numeric::FileError>(HasSubstr(sentence)));
}

TEST(FunctionInputs, AFunctionOfRowsHasTheShapeOfX) {
  const auto inputs = read("geglu", {zeros("x", {1, 2}), zeros("gate", {1, 2})});
  EXPECT_EQ(inputs.tensors.names(), (std::vector<std::string>{"x", "gate"}));
  expect_failure("geglu", {zeros("x", {1, 2})}, "in.npz: gate is absent");
  expect_failure("softmax", {zeros("x", {2})}, "of rank 2 at least");
  expect_failure("softmax", {zeros("x", {1, 2}), zeros("valid", {1, 1})},
                 "valid has shape [1, 1]; expected shape [1, 2]");
  expect_failure("log_sum_exp", {zeros("x", {1, 2}), zeros("grad_y", {1, 2})},
                 "grad_y has shape [1, 2]; expected shape [1]");
}

/// q [2,4,3,5], k [2,2,6,5], v [2,2,6,7] with one of them otherwise.
std::vector<StoredTensor> heads(const char* name = "", const Shape& shape = {}) {
  std::vector<StoredTensor> tensors = {zeros("q", {2, 4, 3, 5}), zeros("k", {2, 2, 6, 5}),
                                       zeros("v", {2, 2, 6, 7}), zeros("grad_y", {2, 4, 3, 7}),
                                       zeros("valid", {2, 6})};
  for (StoredTensor& tensor : tensors)
    if (tensor.name == name) tensor = zeros(name, shape);
  return tensors;
}

TEST(FunctionInputs, AttentionHasHeadsOfQueriesAndOfKeys) {
  const auto inputs = read("attention", heads());
  EXPECT_EQ(inputs.tensors.names(), (std::vector<std::string>{"q", "k", "v", "grad_y"}));
  EXPECT_EQ(ref::tensor::shape_of(inputs.valid), (Shape{2, 6}));
  auto without = heads();
  without.erase(without.begin());
  expect_failure("attention", without, "q is absent; expected the tensor q, [B,H,T,D]");
  expect_failure("attention", heads("q", {2, 4, 3}), "[B,H,T,D], every extent at least 1");
  expect_failure("attention", heads("k", {2, 3, 6, 5}), "and a divisor of its H");
  expect_failure("attention", heads("v", {2, 2, 5, 7}), "expected shape [2, 2, 6, 7]");
  expect_failure("attention", heads("grad_y", {2, 4, 3, 5}), "expected shape [2, 4, 3, 7]");
  expect_failure("attention", heads("valid", {2, 3}), "expected shape [2, 6]");
  expect_failure("attention", {zeros("x", {1, 2})}, "unknown tensor 'x'");
}

}  // namespace
}  // namespace normproof::verification::evaluation
