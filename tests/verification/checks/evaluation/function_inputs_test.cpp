#include "verification/checks/evaluation/function_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using normproof::ref::numeric::error_message;
using ref::io::DType;
using ref::io::StoredTensor;
using ::testing::HasSubstr;
using Shape = std::vector<std::size_t>;

/// Returns a tensor of zeros with this name.
StoredTensor zeros(const char* name, const Shape& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return ref::io::make_tensor(name, DType::float64, shape, std::vector<double>(size, 0));
}

ref::model::FunctionInputs read(std::string_view function,
                                const std::vector<StoredTensor>& tensors) {
  return function_inputs(TensorReader("in.npz", tensors),
                         std::get<ref::model::FunctionOptions>(ref::model::operation(function)));
}

void expect_failure(std::string_view function, const std::vector<StoredTensor>& tensors,
                    const char* sentence) {
  EXPECT_THAT(error_message<ref::numeric::FileError>([&] { read(function, tensors); }),
              HasSubstr(sentence));
}

TEST(FunctionInputs, TensorsOfARowFunctionMustHaveTheShapeOfX) {
  const auto inputs = read("geglu", {zeros("x", {1, 2}), zeros("gate", {1, 2})});
  EXPECT_EQ(inputs.tensors.names(), (std::vector<std::string>{"x", "gate"}));
  expect_failure("geglu", {zeros("x", {1, 2})}, "in.npz: gate is absent");
  expect_failure("softmax", {zeros("x", {2})}, "of rank 2 at least");
  expect_failure("softmax", {zeros("x", {1, 2}), zeros("valid", {1, 1})},
                 "valid has shape [1, 1]; expected shape [1, 2]");
  expect_failure("log_sum_exp", {zeros("x", {1, 2}), zeros("grad_y", {1, 2})},
                 "grad_y has shape [1, 2]; expected shape [1]");
}

/// Returns tensors of zeros: q [2,4,3,5], k [2,2,6,5], v [2,2,6,7], grad_y and valid. The tensor
/// called `name` has the shape `shape` instead.
std::vector<StoredTensor> heads(const char* name = "", const Shape& shape = {}) {
  std::vector<StoredTensor> tensors = {zeros("q", {2, 4, 3, 5}), zeros("k", {2, 2, 6, 5}),
                                       zeros("v", {2, 2, 6, 7}), zeros("grad_y", {2, 4, 3, 7}),
                                       zeros("valid", {2, 6})};
  for (StoredTensor& tensor : tensors)
    if (tensor.name == name) tensor = zeros(name, shape);
  return tensors;
}

TEST(FunctionInputs, AttentionChecksTheShapesOfQueriesKeysAndValues) {
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
  std::vector<StoredTensor> with_sinks = heads();
  with_sinks.push_back(zeros("sinks", {4}));
  EXPECT_TRUE(read("attention", with_sinks).tensors.contains("sinks"));
  with_sinks.back() = zeros("bias", {1, 4, 3, 6});
  EXPECT_TRUE(read("attention", with_sinks).tensors.contains("bias"));
  with_sinks.back() = zeros("bias", {2, 4, 1, 6});
  expect_failure("attention", with_sinks,
                 "bias has shape [2, 4, 1, 6]; expected shape [2, 4, 3, 6]");
  with_sinks.back() = zeros("sinks", {2});
  expect_failure("attention", with_sinks, "sinks has shape [2]; expected shape [4]");
  expect_failure("attention", {zeros("x", {1, 2})}, "unknown tensor 'x'");
}

TEST(FunctionInputs, MergedSplitsAndTheirLogarithmsFitEachOther) {
  const auto o = zeros("o", {2, 1, 3, 4, 5}), logs = zeros("log_sum_exp", {2, 1, 3, 4});
  EXPECT_EQ(read("merge_attention_states", {o, logs}).tensors.names(),
            (std::vector<std::string>{"o", "log_sum_exp"}));
  EXPECT_TRUE(read("merge_attention_states", {o, logs, zeros("grad_y", {1, 3, 4, 5})})
                  .tensors.contains("grad_y"));
  expect_failure("merge_attention_states", {logs},
                 "o is absent; expected the tensor o, [P,B,H,T,E]");
  expect_failure("merge_attention_states", {zeros("o", {2, 3, 4, 5}), logs},
                 "[P,B,H,T,E], every extent at least 1");
  expect_failure("merge_attention_states", {o}, "log_sum_exp is absent");
  expect_failure("merge_attention_states", {o, zeros("log_sum_exp", {2, 1, 4, 3})},
                 "log_sum_exp has shape [2, 1, 4, 3]; expected shape [2, 1, 3, 4]");
  expect_failure("merge_attention_states", {o, logs, zeros("grad_y", {2, 1, 3, 4, 5})},
                 "expected shape [1, 3, 4, 5]");
}

TEST(FunctionInputs, RopeChecksTheShapesOfItsTables) {
  const auto x = zeros("x", {2, 3, 5}), cos = zeros("cos", {3, 2}), sin = zeros("sin", {3, 2});
  EXPECT_EQ(read("rope", {x, cos, sin}).tensors.names(),
            (std::vector<std::string>{"x", "cos", "sin"}));
  expect_failure("rope", {x, sin}, "cos is absent; expected the tensor cos, [T,P]");
  expect_failure("rope", {x, zeros("cos", {3, 3}), sin}, "2 P at most its D: [2, 3, 5]");
  expect_failure("rope", {x, cos, zeros("sin", {3, 1})}, "sin has shape [3, 1]; expected shape");
  expect_failure("rope", {zeros("x", {2, 3, 1}), cos, sin}, "D at least 2");
}

TEST(FunctionInputs, CrossEntropyRequiresTargetsAndAcceptsClassWeights) {
  const auto logits = zeros("logits", {2, 3}), weights = zeros("class_weights", {3});
  const auto targets =
      ref::io::make_tensor("targets", DType::int64, {2}, std::vector<double>{2, 0});
  const auto inputs = read("cross_entropy", {logits, targets, weights, zeros("valid", {2})});
  EXPECT_EQ(inputs.tensors.names(), (std::vector<std::string>{"logits", "class_weights"}));
  EXPECT_EQ(inputs.targets, (std::vector<int>{2, 0}));
  EXPECT_EQ(inputs.valid.size(), 2u);
  expect_failure("cross_entropy", {logits}, "targets is absent; expected the tensor targets, [N]");
  expect_failure("cross_entropy", {zeros("logits", {2}), targets}, "[N,C], every extent at least");
  expect_failure("cross_entropy", {zeros("logits", {2, 2}), targets},
                 "targets has the element 2; expected whole numbers from 0 to 1");
  expect_failure("cross_entropy", {logits, targets, zeros("class_weights", {2})},
                 "class_weights has shape [2]; expected shape [3]");
  expect_failure("cross_entropy", {logits, targets, zeros("grad_y", {1})},
                 "unknown tensor 'grad_y'");
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
