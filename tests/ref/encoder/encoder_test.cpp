#include "ref/encoder/encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::encoder {
namespace {

using model::NormPlacement;
using nn::expect_gradients;
using nn::random_tensor;
using ::testing::HasSubstr;

template <class T>
Tensor<T> run_forward(const EncoderConfig& config, const NamedTensors<T>& parameters,
                      const ModelRunSettings& run = {}) {
  const auto p = from_named(config, parameters);
  auto state = initial_norm_state<T>(config);
  return Encoder<T>(config, p).forward(two_sentences(), run, state);
}

/// Returns the gradients by name. The gradient of the embedding is dense: rows of tokens that do
/// not occur are 0.
template <class T>
NamedTensors<T> run_backward(const EncoderConfig& config, const NamedTensors<T>& parameters,
                             const Tensor<T>& grad_logits, const ModelRunSettings& run = {}) {
  const auto p = from_named(config, parameters);
  auto state = initial_norm_state<T>(config);
  Encoder<T> encoder(config, p);
  encoder.forward(two_sentences(), run, state);
  EncoderGradients<T> gradients = encoder.backward(grad_logits, state);
  if (config.tied_head) {
    EXPECT_TRUE(gradients.embedding.rows.empty());
    return to_named(std::move(gradients.parameters));
  }
  gradients.parameters.embedding = to_dense(gradients.embedding, config.vocab_size, config.d_model);
  return to_named(std::move(gradients.parameters));
}

void expect_derivative(const EncoderConfig& config, const std::string& what) {
  const auto parameters = random_parameters<double>(config);
  const bool pooled = config.pooling == model::Pooling::masked_mean;
  const auto grad =
      random_tensor<double>("grad_logits", pooled ? tensor::Shape{2, config.num_classes}
                                                  : tensor::Shape{2, 3, config.num_classes});
  EXPECT_EQ(run_backward(config, parameters, grad).names(), parameters.names());
  expect_gradients(
      parameters, grad, [&](const auto& p) { return run_forward(config, p); },
      [&](const auto& p, const auto& grad_y) { return run_backward(config, p, grad_y); }, what);
}

// The list omits batch_renorm, power_norm and power_norm_released. By definition, the backward of
// these layers is not the derivative of their forward.
constexpr const char* kExactNorms[] = {"none",         "layer_norm", "batch_norm",
                                       "rms_norm",     "group_norm", "instance_norm",
                                       "power_norm_v", "scale_norm", "group_scaling"};

void expect_derivative_of_every_norm(NormPlacement placement) {
  for (const char* norm : kExactNorms) expect_derivative(small_config(norm, placement, 1), norm);
}

TEST(Encoder, BackwardIsTheDerivativeForEveryNormWithPostNorm) {
  expect_derivative_of_every_norm(NormPlacement::post);
}
TEST(Encoder, BackwardIsTheDerivativeForEveryNormWithPreNorm) {
  expect_derivative_of_every_norm(NormPlacement::pre);
}
// layer_norm has statistics over features, batch_norm over the batch.
TEST(Encoder, BackwardIsTheDerivativeForTwoLayers) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre})
    for (const char* norm : {"layer_norm", "batch_norm"})
      expect_derivative(small_config(norm, placement, 2), norm);
}

TEST(Encoder, BackwardIsTheDerivativeWithOtherPoolingMasksAndActivations) {
  EncoderConfig config = small_config("layer_norm", NormPlacement::post, 1);
  config.pooling = model::Pooling::per_position;
  config.activation = model::Activation::relu;
  expect_derivative(config, "per position");
  config = small_config("batch_norm", NormPlacement::post, 1);
  config.mask_padding = false;
  config.positions = false;
  config.dropout = 0.5;
  config.activation = model::Activation::gelu_tanh;
  expect_derivative(config, "without masks and positions, with dropout");
}

TEST(Encoder, BackwardIsTheDerivativeForCausalEncodersWithATiedHead) {
  for (const auto& [placement, norm] : {std::pair(NormPlacement::pre, "layer_norm"),
                                        std::pair(NormPlacement::post, "batch_norm")}) {
    EncoderConfig config = small_config(norm, placement, 1);
    config.causal = true;
    config.tied_head = placement == NormPlacement::pre;
    config.num_classes = config.tied_head ? config.vocab_size : 3;
    config.pooling = model::Pooling::per_position;
    expect_derivative(config, norm);
    config.scaled_embedding = true;
    expect_derivative(config, norm);
  }
}

/// The norm of a causal encoder and where it is placed.
struct CausalNorm {
  model::NormOptions options;
  NormPlacement placement;
  bool depends_on_batch;  ///< whether y depends on the other rows of the batch in training
};

/// Returns every norm that a causal encoder may have, with both placements.
std::vector<CausalNorm> causal_norms() {
  const std::set<std::string> norms_over_batch = {"batch_norm", "batch_renorm", "power_norm_v",
                                                  "power_norm_released"};
  std::vector<CausalNorm> norms;
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    for (const std::string& name : model::norm_names()) {
      const model::NormOptions options = model::norm_options(name);
      if (!model::norm_layer(options).uses_statistics_per_sample())
        norms.push_back({options, placement, norms_over_batch.contains(name)});
    }
    norms.push_back({model::PowerNormOptions{.warmup_iterations = 1}, placement, true});
  }
  return norms;
}

/// Returns the logits [T,C] that a causal encoder computes for the sentence `ids`, one row per
/// position. If `alone` is false, the batch has a second sentence.
Tensor<double> causal_logits(const CausalNorm& norm, model::Mode mode,
                             const std::vector<std::int32_t>& ids, bool alone = false) {
  EncoderConfig config = small_config("none", norm.placement, 2);
  config.norm = norm.options;
  config.causal = true;
  config.pooling = model::Pooling::per_position;
  const auto p = from_named(config, random_parameters<double>(config));
  auto state = initial_norm_state<double>(config);
  nn::Tokens tokens{alone ? 1u : 2u, ids.size(), ids};
  for (std::size_t i = 0; i < ids.size() && !alone; ++i)
    tokens.ids.push_back(static_cast<std::int32_t>(1 + i % 3));
  const auto logits = Encoder<double>(config, p).forward({tokens, {}}, {.mode = mode}, state);
  Tensor<double> first_sentence = tensor::empty_tensor<double>({ids.size(), 3});
  std::copy_n(logits.data(), first_sentence.size(), first_sentence.data());
  return first_sentence;
}

/// Returns the largest absolute difference of `a` and `b` in their first `rows` rows.
double largest_difference(const Tensor<double>& a, const Tensor<double>& b, std::size_t rows) {
  double largest = 0;
  for (std::size_t i = 0; i < rows * 3; ++i)
    largest = std::max(largest, std::abs(a.data()[i] - b.data()[i]));
  return largest;
}

// Statistics over the batch include later tokens, so in training the logits of earlier positions
// depend on later tokens. After its warm-up PowerNorm uses only the psi of earlier steps.
TEST(Encoder, LaterTokensAffectEarlierLogitsOnlyThroughBatchStatistics) {
  for (const CausalNorm& norm : causal_norms()) {
    const auto changed_by_last_token = [&](model::Mode mode) {
      return largest_difference(causal_logits(norm, mode, {1, 4, 2, 3}),
                                causal_logits(norm, mode, {1, 4, 2, 0}), 3);
    };
    const std::string name = model::norm_name(norm.options);
    EXPECT_EQ(changed_by_last_token(model::Mode::inference), 0) << name;
    const double leak = changed_by_last_token(model::Mode::training);
    if (norm.depends_on_batch) {
      EXPECT_GE(leak, 0x1p-10) << name;
    } else {
      EXPECT_EQ(leak, 0) << name;
    }
  }
}

TEST(Encoder, CausalInferenceOfAPrefixHasTheBitsOfTheWholeSentence) {
  const std::vector<std::int32_t> ids = {3, 1, 4, 2, 0, 1};
  for (const CausalNorm& norm : causal_norms()) {
    const auto whole = causal_logits(norm, model::Mode::inference, ids);
    for (std::size_t length = 1; length <= ids.size(); ++length) {
      const std::vector<std::int32_t> start(ids.begin(),
                                            ids.begin() + static_cast<std::ptrdiff_t>(length));
      const auto alone = causal_logits(norm, model::Mode::inference, start, true);
      EXPECT_EQ(largest_difference(alone, whole, length), 0)
          << model::norm_name(norm.options) << " " << length;
    }
  }
}

/// The backward of PowerNorm uses nu of the previous step. If nu is 0, the backward is the
/// derivative of `y = gamma * x * rstd + beta` with a constant rstd, as in inference with the same
/// state.
TEST(Encoder, PowerNormUsesNuOfThePreviousStep) {
  const EncoderConfig config = small_config("power_norm", NormPlacement::post, 1);
  const auto parameters = random_parameters<double>(config);
  const auto grad = random_tensor<double>("grad", {2, 3});
  const auto training = run_backward(config, parameters, grad);
  const auto inference = run_backward(config, parameters, grad, {.mode = model::Mode::inference});
  for (const auto& [name, values] : training) EXPECT_EQ(values, inference.at(name)) << name;
  // A second step, in the state after the first one, has a different gradient.
  const auto p = from_named(config, parameters);
  auto state = initial_norm_state<double>(config);
  Encoder<double> encoder(config, p);
  encoder.forward(two_sentences(), {}, state);
  encoder.backward(grad, state);
  EXPECT_NE(state.at("layers.0.norm1.nu").data()[0], 0);
  EXPECT_EQ(state.at("layers.0.norm2.iterations").data()[0], 1);
  encoder.forward(two_sentences(), {}, state);
  const auto second = encoder.backward(grad, state);
  EXPECT_NE(second.parameters.head.weight, training.at("head.weight"));
}

TEST(Encoder, BitsDoNotDependOnTheThreadCount) {
  EncoderConfig config = small_config("layer_norm", NormPlacement::post, 2);
  config.vocab_size = 50;
  config.d_model = 48;
  config.num_heads = 4;
  config.d_ff = 96;
  config.dropout = 0.25;
  EncoderInputs inputs{{9, 31, {}}, tensor::full_tensor<bool>({9, 31}, true)};
  for (std::size_t i = 0; i < 9 * 31; ++i) {
    inputs.tokens.ids.push_back(static_cast<std::int32_t>(i * 7 % 50));
    inputs.valid.data()[i] = i % 31 < 20 + i / 31;
  }
  const auto p = from_named(config, random_parameters<double>(config));
  const auto step = [&] {
    auto state = initial_norm_state<double>(config);
    Encoder<double> encoder(config, p);
    const auto logits = encoder.forward(inputs, {.seed = 3, .step = 2}, state);
    auto gradients = encoder.backward(logits, state);
    auto named = to_named(std::move(gradients.parameters));
    named.set("logits", logits);
    named.set("embedding rows", gradients.embedding.values);
    return named;
  };
  const auto once = step();
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    const auto again = step();
    for (const auto& [name, values] : once) EXPECT_EQ(values, again.at(name)) << name;
  }
  numeric::set_num_threads(1);
}

TEST(Encoder, InferenceOfASentenceDoesNotDependOnOtherSentences) {
  for (const std::string& norm : model::norm_names()) {
    EncoderConfig config = small_config(norm, NormPlacement::post, 2);
    // In inference, batch_renorm is the same as batch_norm.
    if (norm == "batch_renorm") continue;
    const auto p = from_named(config, random_parameters<double>(config));
    auto state = initial_norm_state<double>(config);
    const ModelRunSettings run{.mode = model::Mode::inference};
    const auto both = Encoder<double>(config, p).forward(two_sentences(), run, state);
    const auto alone = Encoder<double>(config, p).forward({{1, 2, {3, 1}}}, run, state);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(alone.data()[c], both.data()[3 + c]) << norm;
  }
}

TEST(Encoder, DropoutDependsOnlyOnSeedAndStep) {
  EncoderConfig config = small_config("layer_norm", NormPlacement::post, 1);
  config.dropout = 0.5;
  const auto parameters = random_parameters<double>(config);
  const auto logits = run_forward(config, parameters, {.seed = 1, .step = 1});
  EXPECT_EQ(logits, run_forward(config, parameters, {.seed = 1, .step = 1}));
  EXPECT_NE(logits, run_forward(config, parameters, {.seed = 2, .step = 1}));
  EXPECT_NE(logits, run_forward(config, parameters, {.seed = 1, .step = 2}));
  const ModelRunSettings inference{.mode = model::Mode::inference, .seed = 2};
  config.dropout = 0;
  const auto without = run_forward(config, parameters, inference);
  config.dropout = 0.5;
  EXPECT_EQ(run_forward(config, parameters, inference), without);
}

// Runs two steps, because the second step of PowerNorm uses nu from the first backward.
TEST(Encoder, RecomputationUnderAMemoryLimitGivesTheSameBits) {
  const SavedResultBytes bytes =
      saved_result_bytes(small_config("none", NormPlacement::post, 3), 2, 3, sizeof(double));
  ASSERT_GT(bytes.weights, 0u);
  for (const char* norm : {"layer_norm", "batch_norm", "power_norm", "power_norm_released"})
    for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
      EncoderConfig config = small_config(norm, placement, 3);
      config.dropout = 0.3;
      const auto p = from_named(config, random_parameters<double>(config));
      const auto steps = [&](std::size_t memory) {
        NamedTensors<double> results, state = initial_norm_state<double>(config);
        for (std::uint64_t step = 0; step < 2; ++step) {
          std::map<std::string, int> seen;
          Encoder<double> encoder(
              config, p,
              {[&](const std::string& name, const Tensor<double>&) { ++seen[name]; },
               [](const std::string& name) { return name.find("norm") != std::string::npos; }});
          const auto logits =
              encoder.forward(two_sentences(), {.seed = 1, .step = step, .memory = memory}, state);
          results.set(std::to_string(step) + "/logits", logits);
          auto gradients = encoder.backward(logits, state);
          gradients.parameters.embedding = gradients.embedding.values;
          for (const auto& [name, values] : to_named(std::move(gradients.parameters)))
            results.set(std::to_string(step) + "/" + name, values);
          for (const auto& [name, count] : seen) EXPECT_EQ(count, 1) << name;
          EXPECT_TRUE(seen.contains("layers.1.norm2.x"));
          EXPECT_FALSE(seen.contains("layers.1.attention.weights"));
        }
        for (const auto& [name, values] : state) results.set(name, values);
        return results;
      };
      const auto expected = steps(std::size_t{1} << 30);
      for (const std::size_t memory :
           {std::size_t{0}, bytes.rest, bytes.rest + bytes.weights, 3 * bytes.rest})
        for (const auto& [name, values] : steps(memory))
          EXPECT_EQ(values, expected.at(name)) << norm << " " << name << " " << memory;
    }
}

TEST(Encoder, ATapReceivesEveryIntermediateTensorAndChangesNothing) {
  const EncoderConfig config = small_config("layer_norm", NormPlacement::post, 1);
  const auto p = from_named(config, random_parameters<double>(config));
  auto state = initial_norm_state<double>(config);
  std::map<std::string, tensor::Shape> seen;
  const TensorTap<double> tap = [&](const std::string& name, const Tensor<double>& values) {
    EXPECT_TRUE(seen.emplace(name, tensor::shape_of(values)).second) << name << " twice";
  };
  Encoder<double> encoder(config, p, tap);
  const auto logits = encoder.forward(two_sentences(), {}, state);
  encoder.backward(logits, state);
  EXPECT_EQ(logits, run_forward(config, random_parameters<double>(config)));
  for (const char* name : {"x",
                           "layers.0.attention.qkv",
                           "layers.0.attention.weights",
                           "layers.0.attention.context",
                           "layers.0.attention.y",
                           "layers.0.norm1.x",
                           "layers.0.norm1.mean",
                           "layers.0.norm1.rstd",
                           "layers.0.norm1.y",
                           "layers.0.feed_forward.inner",
                           "layers.0.feed_forward.active",
                           "layers.0.feed_forward.y",
                           "layers.0.norm2.y",
                           "pooled",
                           "logits",
                           "grad_layers.0.norm2.y",
                           "grad_layers.0.norm2.x",
                           "grad_layers.0.feed_forward.x",
                           "grad_layers.0.norm1.x",
                           "grad_layers.0.attention.x",
                           "grad_x"})
    EXPECT_TRUE(seen.contains(name)) << name;
  EXPECT_EQ(seen["layers.0.attention.weights"], (tensor::Shape{2, 2, 3, 3}));
}

TEST(Encoder, KeepsACopyOfItsConfig) {
  EncoderConfig config = small_config("layer_norm", NormPlacement::pre, 2);
  const auto named = random_parameters<double>(config);
  const auto p = from_named(config, named);
  const auto expected = run_forward(config, named);
  auto state = initial_norm_state<double>(config);
  Encoder<double> encoder(config, p);
  config = {};
  EXPECT_EQ(encoder.forward(two_sentences(), {}, state), expected);
}

TEST(Encoder, C5_RejectsASentenceOfPaddingOnly) {
  const EncoderConfig config = small_config("layer_norm", NormPlacement::post, 1);
  const auto p = from_named(config, random_parameters<double>(config));
  auto state = initial_norm_state<double>(config);
  EncoderInputs inputs{{2, 1, {1, 0}}, tensor::full_tensor<bool>({2, 1}, true)};
  inputs.valid.data()[1] = false;
  EXPECT_THAT(
      numeric::contract_message([&] { Encoder<double>(config, p).forward(inputs, {}, state); }),
      HasSubstr("valid has no token in sentence 1; expected one at least (C5)"));
  inputs.valid = tensor::full_tensor<bool>({1, 2}, true);
  EXPECT_THAT(
      numeric::contract_message([&] { Encoder<double>(config, p).forward(inputs, {}, state); }),
      HasSubstr("valid has shape [1, 2]; expected shape [2, 1] (C5)"));
}

}  // namespace
}  // namespace normproof::ref::encoder
