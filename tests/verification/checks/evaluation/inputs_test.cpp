#include "verification/checks/evaluation/inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"

namespace normproof::tests::verification::checks::evaluation {
namespace {

using namespace normproof::verification::checks::evaluation;
namespace io = normproof::ref::io;
namespace model = normproof::ref::model;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

EvalInputs read_eval_inputs(const std::string& layer, const std::vector<io::StoredTensor>& tensors,
                            bool sequence = false) {
  return eval_inputs("in.npz", tensors, model::norm_options(layer), model::Mode::training,
                     sequence);
}

io::StoredTensor numbers(const std::string& name, Shape shape, std::vector<double> values) {
  return io::make_tensor(name, std::move(shape), std::span<const double>(values));
}

TEST(EvaluationInputs, AreReadFromTheFileAndAbsentStateHasItsInitialValue) {
  const auto inputs = read_eval_inputs(
      "batch_norm", {numbers("x", {2, 1}, {3, 4}), numbers("running_mean", {1}, {7}),
                     numbers("gamma", {1}, {5}), numbers("valid", {2}, {1, 0})});
  ASSERT_EQ(inputs.steps.size(), 1u);
  EXPECT_EQ(inputs.steps[0].x.data()[1], 4);
  EXPECT_EQ(inputs.steps[0].gamma.data()[0], 5);
  EXPECT_TRUE(inputs.steps[0].valid.data()[0]);
  EXPECT_FALSE(inputs.steps[0].valid.data()[1]);
  EXPECT_EQ(inputs.steps[0].beta.dimension(), 0u);
  EXPECT_EQ(inputs.steps[0].grad_y.dimension(), 0u);
  EXPECT_EQ(inputs.state.at("running_mean").data()[0], 7);
  EXPECT_EQ(inputs.state.at("running_variance").data()[0], 1);
}

TEST(EvaluationInputs, SequenceInputsThatChangeHaveAnAxisOfSteps) {
  const auto inputs = read_eval_inputs(
      "power_norm",
      {numbers("x", {2, 2, 1}, {1, 2, 3, 4}), numbers("grad_y", {2, 2, 1}, {5, 6, 7, 8}),
       numbers("valid", {2, 2}, {1, 1, 0, 1}), numbers("gamma", {1}, {9})},
      true);
  ASSERT_EQ(inputs.steps.size(), 2u);
  EXPECT_EQ(normproof::ref::tensor::shape_of(inputs.steps[1].x), (Shape{2, 1}));
  EXPECT_EQ(inputs.steps[1].x.data()[0], 3);
  EXPECT_EQ(inputs.steps[1].grad_y.data()[1], 8);
  EXPECT_FALSE(inputs.steps[1].valid.data()[0]);
  EXPECT_EQ(inputs.steps[0].gamma.data()[0], 9);
  EXPECT_EQ(inputs.steps[1].gamma.data()[0], 9);
}

TEST(EvaluationInputs, SmallFloatsAndIntegersAreWidenedExactly) {
  io::StoredTensor half{"x", io::DType::float16, {1, 2}, {}};
  for (const int byte : {0x01, 0x00, 0xff, 0x7b})  // the smallest subnormal, 65504
    half.bytes.push_back(static_cast<std::byte>(byte));
  const auto inputs = read_eval_inputs("none", {half});
  EXPECT_EQ(inputs.steps[0].x.data()[0], 0x1p-24);
  EXPECT_EQ(inputs.steps[0].x.data()[1], 65504);
}

TEST(EvaluationInputs, TensorNamedIterationsMayBeAScalar) {
  const auto inputs =
      read_eval_inputs("power_norm", {numbers("x", {1, 1}, {1}), numbers("iterations", {}, {4})});
  EXPECT_EQ(inputs.state.at("iterations").data()[0], 4);
  EXPECT_EQ(normproof::ref::tensor::shape_of(inputs.state.at("iterations")), (Shape{1}));
}

TEST(EvaluationInputs, ErrorForAnUnknownNameSuggestsTheNearestName) {
  EXPECT_THAT(([] {
                read_eval_inputs("batch_norm",
                                 {numbers("x", {1, 1}, {1}), numbers("runing_mean", {1}, {1})});
              }),
              ThrowsMessage<FileError>(AllOf(HasSubstr("in.npz: unknown tensor 'runing_mean'"),
                                             HasSubstr("did you mean 'running_mean'?"))));
  // A state tensor that belongs to another layer is also an unknown name, and not ignored.
  EXPECT_THAT(
      ([] {
        read_eval_inputs("layer_norm", {numbers("x", {1, 1}, {1}), numbers("nu", {1}, {1})});
      }),
      ThrowsMessage<FileError>(HasSubstr("unknown tensor 'nu'")));
}

TEST(EvaluationInputs, ImagesMustHaveTheShapeOfTheLayout) {
  model::NormOptions options = model::norm_options("batch_norm");
  const auto read = [&options](const char* layout, Shape shape, Shape of_mask) {
    model::set_option(options, "layout", layout);
    return eval_inputs("in.npz",
                       {{numbers("x", std::move(shape), std::vector<double>(24, 1)),
                         numbers("valid", std::move(of_mask), std::vector<double>(24 / 4, 1))}},
                       options, model::Mode::training, false);
  };
  EXPECT_EQ(read("channels_first", {1, 4, 2, 3}, {1, 2, 3}).state.at("running_mean").size(), 4u);
  EXPECT_EQ(read("channels_last", {1, 2, 3, 4}, {1, 2, 3}).state.at("running_mean").size(), 4u);
  EXPECT_THAT(([&] {
                read("channels_first", {2, 3, 4}, {6});
              }),
              ThrowsMessage<FileError>(HasSubstr("x has shape [2, 3, 4]; expected [B,D,H,W]")));
  EXPECT_THAT(([&] {
                read("channels_last", {2, 3, 4}, {6});
              }),
              ThrowsMessage<FileError>(HasSubstr("x has shape [2, 3, 4]; expected [B,H,W,D]")));
}

struct InvalidInput {
  std::string layer;
  std::vector<io::StoredTensor> tensors;
  bool sequence;
  std::string message;
};

TEST(EvaluationInputs, ErrorsNameTheTensorAndWhatIsExpected) {
  const auto x = numbers("x", {2, 1}, {3, 4});
  const std::vector<InvalidInput> all = {
      {"none", {}, false, "x is absent"},
      {"none", {numbers("x", {2}, {1, 2})}, false, "x has shape [2]; expected [N,D] or [B,T,D]"},
      {"none", {numbers("x", {}, {1})}, true, "x has shape []; expected [S,N,D]"},
      {"none", {numbers("x", {1, 1, 1, 1}, {1})}, false, "an axis of steps needs --sequence"},
      {"none", {numbers("x", {2, 1}, {1, 2})}, true, "expected [S,N,D] or [S,B,T,D]"},
      {"none", {numbers("x", {0, 1}, {})}, false, "every extent at least 1"},
      {"none", {numbers("x", {0, 2, 1}, {})}, true, "every extent at least 1"},
      {"layer_norm",
       {x, numbers("grad_y", {1, 2}, {1, 2})},
       false,
       "grad_y has shape [1, 2]; expected shape [2, 1]"},
      {"layer_norm",
       {x, numbers("gamma", {0}, {})},
       false,
       "gamma has shape [0]; expected shape [D]"},
      {"layer_norm", {x, numbers("beta", {}, {1})}, false, "beta has shape []; expected shape [D]"},
      {"dyt", {x, numbers("alpha", {}, {1})}, false, "alpha has shape []; expected shape [1]"},
      {"layer_norm",
       {x, numbers("valid", {1}, {1})},
       false,
       "valid has shape [1]; expected shape [2]"},
      {"layer_norm",
       {x, numbers("valid", {2}, {1, 0.5})},
       false,
       "valid has the element [1] = 0.5; expected booleans, or 0 and 1"},
      {"layer_norm",
       {x, numbers("valid", {2}, {1, std::nan("")})},
       false,
       "valid has the element [1] = nan"},
      {"batch_norm",
       {x, numbers("running_mean", {2}, {1, 2})},
       false,
       "running_mean has shape [2]; expected shape [1]"},
      {"power_norm", {x, numbers("iterations", {2}, {1, 2})}, false, "iterations has shape [2]"},
  };
  for (const InvalidInput& bad : all) {
    EXPECT_THAT(
        error_message<FileError>([&] { read_eval_inputs(bad.layer, bad.tensors, bad.sequence); }),
        AllOf(HasSubstr("in.npz: "), HasSubstr(bad.message)))
        << bad.message;
  }
}

TEST(EvaluationInputs, IntegersThatDoubleCannotRepresentAreRejected) {
  const std::vector<std::int64_t> large = {(std::int64_t{1} << 53) + 1};
  const auto x = io::make_tensor("x", {1, 1}, std::span<const std::int64_t>(large));
  EXPECT_THAT(error_message<FileError>([&] { read_eval_inputs("none", {x}); }),
              AllOf(HasSubstr("in.npz: "), HasSubstr("tensor 'x'")));
}

}  // namespace
}  // namespace normproof::tests::verification::checks::evaluation
