#include "verification/checks/evaluation/functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/model/operation_info.hpp"
#include "ref/ops/softmax.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/checks/evaluation/sequence.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::operation;
using ref::numeric::FileError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StoredTensor tensor(const char* name, std::vector<std::size_t> shape,
                    const std::vector<double>& values, DType dtype = DType::float64) {
  return ref::io::make_tensor(name, dtype, std::move(shape), values);
}

ref::tensor::NamedTensors<double> run(const char* name, const std::vector<StoredTensor>& tensors) {
  const auto function = operation(name);
  return run_operation<double>(
      function, operation_inputs("f", tensors, function, ref::model::Mode::training, false), false);
}

TEST(FunctionEvaluation, AllFunctionsReturnYAndGradients) {
  for (const std::string& name : ref::model::function_names()) {
    const ref::model::OperationInfo& info = ref::model::operation_info(name);
    if (!info.is_computed_per_row()) continue;
    const bool narrow = info.reduces;
    std::vector<StoredTensor> tensors = {
        tensor("x", {1, 2}, {0, 0}),
        narrow ? tensor("grad_y", {1}, {1}) : tensor("grad_y", {1, 2}, {1, 0})};
    if (info.takes("gate")) tensors.push_back(tensor("gate", {1, 2}, {3, 4}));
    if (info.takes("residual")) tensors.push_back(tensor("residual", {1, 2}, {3, 4}));
    const auto results = run(name.c_str(), tensors);
    EXPECT_EQ(results.size(), info.takes("gate") || info.takes("residual") ? 3u : 2u) << name;
    EXPECT_EQ(results.at("grad_x").size(), 2u) << name;
  }
  const auto y = run("softmax", {tensor("x", {1, 2}, {0, 0})});
  EXPECT_THAT(y.names(), ElementsAre("y"));
  EXPECT_THAT(y.at("y"), ElementsAre(0.5, 0.5));
}

TEST(FunctionEvaluation, MaskedElementsAreExcluded) {
  const auto results =
      run("softmax", {tensor("x", {1, 3}, {5, 7, 5}), tensor("grad_y", {1, 3}, {2, 9, 0}),
                      tensor("valid", {1, 3}, {1, 0, 1}, DType::boolean)});
  EXPECT_THAT(results.at("y"), ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(results.at("grad_x"), ElementsAre(0.5, 0, -0.5));
}

TEST(FunctionEvaluation, GateMultipliesTheActivationOfX) {
  // silu(0) = 0 with slope 1/2, and silu(64) = 64 with slope 1.
  const auto results = run("swiglu", {tensor("x", {1, 2}, {0, 64}), tensor("gate", {1, 2}, {40, 3}),
                                      tensor("grad_y", {1, 2}, {1, 2})});
  EXPECT_THAT(results.at("y"), ElementsAre(0, 192));
  EXPECT_THAT(results.at("grad_x"), ElementsAre(20, 6));
  EXPECT_THAT(results.at("grad_gate"), ElementsAre(0, 128));
}

TEST(FunctionEvaluation, AttentionReturnsYAndTheGradientsOfItsOperands) {
  const auto q = tensor("q", {1, 1, 1, 1}, {0}), k = tensor("k", {1, 1, 2, 1}, {1, 2}),
             v = tensor("v", {1, 1, 2, 1}, {4, 8});
  const auto gradient = tensor("grad_y", {1, 1, 1, 1}, {1});
  // Both attention weights are 1/2.
  const auto results = run("attention", {q, k, v, gradient});
  EXPECT_THAT(results.at("y"), ElementsAre(6));
  EXPECT_THAT(results.at("grad_q"), ElementsAre(1));
  EXPECT_THAT(results.at("grad_k"), ElementsAre(0, 0));
  EXPECT_THAT(results.at("grad_v"), ElementsAre(0.5, 0.5));
  EXPECT_EQ(results.at("log_sum_exp").size(), 1u);
  const auto masked = run("attention", {q, k, v, tensor("valid", {1, 2}, {0, 1})});
  EXPECT_THAT(masked.at("y"), ElementsAre(8));
  EXPECT_FALSE(masked.contains("grad_q"));
  EXPECT_FALSE(
      run("attention", {q, k, v, tensor("valid", {1, 2}, {0, 0})}).contains("log_sum_exp"));
  // A sink of 0 has the same weight as each of the two keys.
  const auto with_sink = run("attention", {q, k, v, gradient, tensor("sinks", {1}, {0})});
  EXPECT_THAT(with_sink.at("y"), ElementsAre(::testing::DoubleEq(4)));
  EXPECT_THAT(with_sink.at("grad_sinks"), ElementsAre(::testing::DoubleEq(-4 / 3.0)));
  const auto biased = run(
      "attention", {q, k, v, gradient,
                    tensor("bias", {1, 1, 1, 2}, {-std::numeric_limits<double>::infinity(), 3})});
  EXPECT_THAT(biased.at("y"), ElementsAre(8));
  EXPECT_THAT(biased.at("grad_bias"), ElementsAre(0, 0));
}

TEST(FunctionEvaluation, MergedSplitsWithoutWeightAreNotRead) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto o = tensor("o", {2, 1, 1, 2, 1}, {3, kInfinity, 5, kInfinity}),
             logs = tensor("log_sum_exp", {2, 1, 1, 2}, {1, -kInfinity, 1, -kInfinity}),
             gradient = tensor("grad_y", {1, 1, 2, 1}, {2, 2});
  const auto results = run("merge_attention_states", {o, logs, gradient});
  EXPECT_THAT(results.at("y"), ElementsAre(4, 0));
  EXPECT_THAT(results.at("log_sum_exp"),
              ElementsAre(::testing::DoubleEq(1 + std::log(2)), -kInfinity));
  EXPECT_THAT(results.at("grad_o"), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(results.at("grad_log_sum_exp"), ElementsAre(-1, 0, 1, 0));
  EXPECT_FALSE(run("merge_attention_states", {o, logs}).contains("grad_o"));
}

TEST(FunctionEvaluation, ResidualIsAddedBeforeTheNorm) {
  const std::vector<StoredTensor> tensors = {
      tensor("x", {1, 2}, {5, 0}),      tensor("residual", {1, 2}, {-4, -1}),
      tensor("grad_y", {1, 2}, {1, 2}), tensor("grad_sum", {1, 2}, {3, 4}),
      tensor("gamma", {2}, {2, 2}),     tensor("beta", {2}, {0, 1})};
  const auto layer = operation("add_layer_norm");
  auto without_eps = layer;
  set_option(without_eps, "eps", "0");
  const auto results = run_operation<double>(
      without_eps, operation_inputs("f", tensors, without_eps, ref::model::Mode::training, false),
      false);
  EXPECT_THAT(results.at("sum"), ElementsAre(1, -1));
  EXPECT_THAT(results.at("y"), ElementsAre(2, -1));
  // With two features the norm's backward is 0, so grad_y does not reach x.
  EXPECT_THAT(results.at("grad_x"), ElementsAre(3, 4));
  EXPECT_THAT(results.at("grad_gamma"), ElementsAre(1, -2));
  EXPECT_THAT(results.at("grad_beta"), ElementsAre(1, 2));
  const auto alone =
      run("add_rms_norm", {tensor("x", {1, 2}, {5, 0}), tensor("residual", {1, 2}, {-4, -1})});
  EXPECT_THAT(alone.names(), ElementsAre("y", "sum"));
}

TEST(FunctionEvaluation, ZeroCenteredGammaOfAddNormIsGammaMinusOne) {
  const auto evaluated = [](const char* function, const char* zero_centered, double less) {
    auto own = operation(function);
    set_option(own, "zero_centred_gamma", zero_centered);
    const std::vector<StoredTensor> tensors = {
        tensor("x", {1, 3}, {5, 0, 2}), tensor("residual", {1, 3}, {-4, -1, 1}),
        tensor("grad_y", {1, 3}, {1, 2, 7}), tensor("gamma", {3}, {2 - less, 4 - less, 0 - less}),
        tensor("beta", {3}, {0, 1, 1})};
    return run_operation<double>(
        own, operation_inputs("f", tensors, own, ref::model::Mode::training, false), false);
  };
  for (const char* function : {"add_layer_norm", "add_rms_norm"}) {
    const auto whole = evaluated(function, "0", 0), centred = evaluated(function, "1", 1);
    ASSERT_EQ(whole.names(), centred.names());
    for (const auto& [name, values] : whole)
      EXPECT_TRUE(std::ranges::equal(values, centred.at(name))) << function << " " << name;
  }
}

TEST(FunctionEvaluation, RopeRotatesPairs) {
  const auto results = run("rope", {tensor("x", {1, 2}, {3, 5}), tensor("grad_y", {1, 2}, {3, 5}),
                                    tensor("cos", {1, 1}, {0}), tensor("sin", {1, 1}, {1})});
  EXPECT_THAT(results.at("y"), ElementsAre(-5, 3));
  EXPECT_THAT(results.at("grad_x"), ElementsAre(5, -3));
}

TEST(FunctionEvaluation, CrossEntropyIgnoresMaskedRows) {
  const auto logits = tensor("logits", {2, 2}, {0, 0, 5, 7}),
             targets = tensor("targets", {2}, {1, 0});
  const auto results = run("cross_entropy", {logits, targets, tensor("valid", {2}, {1, 0})});
  EXPECT_THAT(results.at("loss"), ElementsAre(::testing::DoubleEq(0.69314718055994531)));
  EXPECT_THAT(results.at("grad_logits"), ElementsAre(0.5, -0.5, 0, 0));
}

TEST(RunFunction, C1_RejectsAMaskIfTheFunctionHasNone) {
  FunctionInputs inputs;
  inputs.tensors.set("x", ref::tensor::full_tensor<double>({1, 2}, 1));
  inputs.valid = ref::tensor::full_tensor<bool>({1, 2}, true);
  const auto function = std::get<ref::model::FunctionOptions>(operation("gelu"));
  EXPECT_EQ(ref::numeric::contract_message([&] { run_function<double>(function, inputs); }),
            "gelu: valid is given; expected no mask (C1)");
}

TEST(FunctionEvaluation, ErrorsNameTheTensorAndWhatIsExpected) {
  const auto message = [](const char* name, const std::vector<StoredTensor>& tensors) {
    return ref::numeric::error_message<FileError>([&] { run(name, tensors); });
  };
  EXPECT_THAT(message("relu", {}), HasSubstr("x is absent; expected the tensor x, [..., D]"));
  EXPECT_THAT(message("relu", {tensor("x", {2}, {1, 2})}), HasSubstr("of rank 2 at least"));
  EXPECT_THAT(message("relu", {tensor("x", {1, 2}, {1, 2}), tensor("grad_y", {2}, {1, 2})}),
              HasSubstr("grad_y has shape [2]; expected shape [1, 2]"));
  EXPECT_THAT(message("geglu", {tensor("x", {1, 2}, {1, 2})}),
              HasSubstr("gate is absent; expected the tensor gate, of the shape of x"));
  EXPECT_THAT(message("swiglu", {tensor("x", {1, 2}, {1, 2}), tensor("gate", {2, 1}, {1, 2})}),
              HasSubstr("gate has shape [2, 1]; expected shape [1, 2]"));
  EXPECT_THAT(message("add_layer_norm", {tensor("x", {1, 2}, {1, 2})}),
              HasSubstr("residual is absent; expected the tensor residual, of the shape of x"));
  EXPECT_THAT(message("add_rms_norm", {tensor("x", {1, 1, 1, 2}, {1, 2})}),
              HasSubstr("x has shape [1, 1, 1, 2]; expected [N,D] or [B,T,D]"));
  EXPECT_THAT(message("silu", {tensor("x", {1, 2}, {1, 2}), tensor("gate", {1, 2}, {1, 2})}),
              HasSubstr("unknown tensor 'gate'"));
  EXPECT_THAT(message("gelu", {tensor("x", {1, 2}, {1, 2}), tensor("valid", {1, 2}, {1, 1})}),
              HasSubstr("unknown tensor 'valid'"));
  EXPECT_THAT(message("softmax", {tensor("x", {1, 2}, {1, 2}), tensor("valid", {1, 2}, {1, 2})}),
              HasSubstr("expected booleans, or 0 and 1"));
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
