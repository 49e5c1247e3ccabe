#include "verification/checks/evaluation/transformers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/decoder/incremental_decoder.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/checks/evaluation/sequence.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ref::model::Mode;
using ref::model::Operation;
using ref::numeric::oracle100;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

constexpr std::size_t kSamples = 2, kSource = 3, kTokens = 2, kWidth = 2, kWords = 5;

Tensor<double> random_tensor(const std::string& name, const ref::tensor::Shape& shape) {
  const ref::numeric::RandomStream random(1, name);
  auto values = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = random.normal(i);
  return values;
}

/// Returns inputs of a model with two layers on each side. Padding: the second target position of
/// the first sentence, and the last source position of the second sentence.
EvalInputs make_transformer_inputs(const Operation& operation, std::size_t width = kWidth) {
  const auto& own = std::get<ref::model::TransformerOperation>(operation);
  EvalInputs inputs;
  TransformerTensors& in = inputs.transformer;
  in.config = transformer_config(own, [width](const std::string& name) {
    using Extents = std::pair<std::size_t, std::size_t>;
    return name.ends_with("embedding.weight") ? Extents{kWords, width} : Extents{3, width};
  });
  for (const auto& [name, shape] : transformer_parameters(own, in.config))
    in.tensors.set(name, random_tensor(name, shape));
  in.state = transformer_state(own, in.config);
  in.source = {kSamples, kSource, {1, 3, 2, 3, 1, 0}};
  in.source_valid = {{true, true, true}, {true, true, false}};
  in.tokens = {kSamples, kTokens, {1, 0, 1, 3}};
  in.valid = {{true, false}, {true, true}};
  in.targets = {2, 0, 3, 2};
  in.loss.label_smoothing = 0.25;
  return inputs;
}

EvalInputs make_decoding_inputs(const Operation& operation, std::size_t past,
                                std::size_t width = kWidth) {
  EvalInputs inputs = make_transformer_inputs(operation, width);
  TransformerTensors& in = inputs.transformer;
  in.mode = Mode::inference;
  in.valid = {};
  in.tensors.set("memory", random_tensor("memory", {kSamples, kSource, width}));
  for (const char* part : {"keys", "values"})
    if (past > 0)
      in.tensors.set(std::string("layers.0.self_attention.past_") + part,
                     random_tensor(part, {kSamples, past, width}));
  return inputs;
}

/// Returns the operation `name` with pre-norm and label smoothing. If `tied` is true, the head is
/// tied to the embedding, and the embedding is scaled.
Operation make_pre_norm_operation_with_label_smoothing(const char* name, bool tied) {
  Operation operation = ref::model::operation(name);
  for (const auto& [option, value] : {std::pair{"placement", "pre"},
                                      {"activation", "gelu"},
                                      {"tied_head", tied ? "true" : "false"},
                                      {"scaled_embedding", tied ? "true" : "false"}})
    ref::model::set_option(operation, option, value);
  return operation;
}

/// Compares each element of each gradient with a difference quotient of the loss at 100 digits.
TEST(TransformerEvaluation, GradientsMatchDifferenceQuotientsOfTheLoss) {
  for (const char* name : {"translator", "language_model"})
    for (const bool tied : {false, true}) {
      const Operation operation = make_pre_norm_operation_with_label_smoothing(name, tied);
      EvalInputs inputs = make_transformer_inputs(operation);
      const auto gradients = run_operation<oracle100>(operation, inputs, false);
      constexpr double kStep = 0x1p-24;
      for (const std::string& parameter : inputs.transformer.tensors.names()) {
        double* const values = inputs.transformer.tensors.at(parameter).data();
        const Tensor<oracle100>& found = gradients.at("grad_" + parameter);
        for (std::size_t i = 0; i < found.size(); ++i) {
          const double kept = values[i];
          const auto loss = [&](double by) {
            values[i] = kept + by;
            return run_operation<oracle100>(operation, inputs, false).at("loss").data()[0];
          };
          const oracle100 rise = loss(kStep) - loss(-kStep);
          values[i] = kept;
          const oracle100 slope = rise / (oracle100(kept + kStep) - oracle100(kept - kStep));
          // The next term of Taylor's series is smaller by a factor of about kStep^2.
          EXPECT_LE(abs(slope - found.data()[i]), 0x1p-32 * (1 + abs(found.data()[i])))
              << name << " " << tied << " " << parameter << " " << i;
        }
      }
    }
}

TEST(TransformerEvaluation, LossIsTheMeanOverRealTokens) {
  for (const char* name : {"translator", "language_model"}) {
    const Operation operation = ref::model::operation(name);
    EvalInputs inputs = make_transformer_inputs(operation);
    const auto before = run_operation<double>(operation, inputs, false);
    EXPECT_EQ(ref::tensor::shape_of(before.at("logits")),
              (ref::tensor::Shape{kSamples, kTokens, kWords}));
    inputs.transformer.targets[1] = 4;  // the target of a padding position
    const auto after = run_operation<double>(operation, inputs, false);
    EXPECT_EQ(before.at("loss").data()[0], after.at("loss").data()[0]) << name;
    inputs.transformer.targets[0] = 4;
    EXPECT_NE(run_operation<double>(operation, inputs, false).at("loss").data()[0],
              before.at("loss").data()[0])
        << name;
  }
}

/// d_model is 4, so that its square root is exact.
TEST(TransformerEvaluation, ScaledEmbeddingEqualsAScaledWeightIfTheHeadIsUntied) {
  for (const char* name : {"translator", "language_model", "decoding"}) {
    Operation scaled = ref::model::operation(name);
    ref::model::set_option(scaled, "scaled_embedding", "true");
    const Operation plain = ref::model::operation(name);
    const bool decodes = std::string(name) == "decoding";
    EvalInputs inputs =
        decodes ? make_decoding_inputs(scaled, 1, 4) : make_transformer_inputs(scaled, 4);
    const auto found = run_operation<double>(scaled, inputs, false);
    inputs.transformer.config.scaled_embedding = false;
    EXPECT_NE(run_operation<double>(plain, inputs, false).at("logits"), found.at("logits")) << name;
    for (const std::string& parameter : inputs.transformer.tensors.names())
      if (parameter.ends_with("embedding.weight"))
        for (double& element : inputs.transformer.tensors.at(parameter)) element *= 2;
    const auto expected = run_operation<double>(plain, inputs, false);
    EXPECT_EQ(found.at("logits"), expected.at("logits")) << name;
    for (const auto& [output, values] : found) {
      if (!output.ends_with("embedding.weight")) continue;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values.data()[i], 2 * expected.at(output).data()[i]) << name << " " << output;
    }
  }
}

TEST(TransformerEvaluation, GradientsOfUnusedTokensAreZero) {
  const auto results =
      run_operation<double>(ref::model::operation("translator"),
                            make_transformer_inputs(ref::model::operation("translator")), false);
  for (const char* side : {"encoder", "decoder"}) {
    const Tensor<double>& grad = results.at(std::string("grad_") + side + ".embedding.weight");
    for (std::size_t d = 0; d < kWidth; ++d) {
      EXPECT_EQ(grad.data()[4 * kWidth + d], 0) << side;
      EXPECT_NE(grad.data()[3 * kWidth + d], 0) << side;
    }
  }
}

TEST(TransformerEvaluation, StepwiseDecodingMatchesDecodingAtOnce) {
  const Operation operation = make_pre_norm_operation_with_label_smoothing("decoding", false);
  const EvalInputs whole = make_decoding_inputs(operation, 1);
  const auto at_once = run_operation<double>(operation, whole, false);
  EvalInputs part = whole;
  for (std::size_t t = 0; t < kTokens; ++t) {
    part.transformer.tokens = {
        kSamples, 1, {whole.transformer.tokens.ids[t], whole.transformer.tokens.ids[kTokens + t]}};
    const auto step = run_operation<double>(operation, part, false);
    for (std::size_t b = 0; b < kSamples; ++b)
      for (std::size_t v = 0; v < kWords; ++v)
        EXPECT_EQ(step.at("logits").data()[b * kWords + v],
                  at_once.at("logits").data()[(b * kTokens + t) * kWords + v]);
    for (const char* name : {"keys", "values"})
      part.transformer.tensors.set(std::string("layers.0.self_attention.past_") + name,
                                   step.at(std::string("layers.0.self_attention.") + name));
  }
  EXPECT_TRUE(std::ranges::equal(part.transformer.tensors.at("layers.0.self_attention.past_keys"),
                                 at_once.at("layers.0.self_attention.keys")));
  EXPECT_EQ(ref::tensor::shape_of(at_once.at("layers.0.self_attention.values")),
            (ref::tensor::Shape{kSamples, 1 + kTokens, kWidth}));
}

TEST(TransformerEvaluation, DecodingIgnoresPaddingOfTheMemory) {
  const Operation operation = ref::model::operation("decoding");
  EvalInputs inputs = make_decoding_inputs(operation, 0);
  const auto before = run_operation<double>(operation, inputs, false);
  double* const memory = inputs.transformer.tensors.at("memory").data();
  for (std::size_t d = 0; d < kWidth; ++d) memory[5 * kWidth + d] = 17;
  EXPECT_EQ(run_operation<double>(operation, inputs, false).at("logits"), before.at("logits"));
  memory[0] = 17;
  EXPECT_NE(run_operation<double>(operation, inputs, false).at("logits"), before.at("logits"));
}

TEST(RunTransformer, C1_RejectsWrongMode) {
  const auto message = [](const char* name, Mode mode) {
    const Operation operation = ref::model::operation(name);
    EvalInputs inputs = make_transformer_inputs(operation);
    inputs.transformer.mode = mode;
    return ref::numeric::contract_message([&] { run_operation<double>(operation, inputs, false); });
  };
  EXPECT_EQ(message("translator", Mode::inference),
            "translator: mode is inference; expected training (C1)");
  EXPECT_EQ(message("language_model", Mode::inference),
            "language_model: mode is inference; expected training (C1)");
  EXPECT_EQ(message("decoding", Mode::training),
            "decoding: mode is training; expected inference (C1)");
}

TEST(TransformerEvaluation, OnlyNormParametersHaveInitialValues) {
  const Operation operation = ref::model::operation("translator");
  const auto& own = std::get<ref::model::TransformerOperation>(operation);
  const auto config = make_transformer_inputs(operation).transformer.config;
  EXPECT_EQ(initial_norm_value(own, config, "decoder.layers.0.norm3.gamma"), 1);
  EXPECT_EQ(initial_norm_value(own, config, "encoder.layers.0.norm1.beta"), 0);
  EXPECT_EQ(initial_norm_value(own, config, "head.bias"), std::nullopt);
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
