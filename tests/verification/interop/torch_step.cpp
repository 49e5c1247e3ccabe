#include "tests/verification/interop/torch_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

#include "ref/io/atomic_file.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/nn/positional_encoding.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/cross_entropy.hpp"
#include "verification/training/pytorch_weights.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::interop {

using ref::io::DType;
using ref::io::make_tensor;
using ref::io::StoredTensor;
using ref::model::NormPlacement;
using ref::numeric::any_order_error;
using ref::numeric::oracle100;
using ref::tensor::shape_of;

namespace {

/// Converts numbers to the scalar T. Their error is 0, because PyTorch and the reference have
/// exactly these numbers.
template <class T>
Tensor<T> to_scalar(const Tensor<double>& values) {
  Tensor<T> result = ref::tensor::empty_tensor<T>(shape_of(values));
  std::ranges::transform(values, result.data(), [](double v) {
    if constexpr (std::is_same_v<T, any_order_error>)
      return T(v, 0.0);
    else
      return T(v);
  });
  return result;
}

template <class T>
NamedTensors<T> to_scalar(const NamedTensors<double>& tensors) {
  NamedTensors<T> result;
  for (const auto& [name, values] : tensors) result.set(name, to_scalar<T>(values));
  return result;
}

/// Calls f with a scalar of 100 digits for the exact results, and with any_order_error for the
/// bounds.
template <class F>
ExpectedStep expect(F f) {
  ExpectedStep expected{f(oracle100()), {}};
  const auto f64 = ref::numeric::arithmetic_of_type(ref::numeric::FloatType::float64);
  const ref::numeric::AnyOrderArithmetic scope({2 * f64.unit_roundoff, f64.tiny, f64.largest});
  for (const auto& [name, values] : f(any_order_error())) {
    auto errors = ref::tensor::empty_tensor<double>(shape_of(values));
    std::ranges::transform(values, errors.data(), [](const auto& v) { return v.error; });
    expected.bounds.set(name, std::move(errors));
  }
  return expected;
}

std::string gradient_name(const std::string& parameter) {
  return "grad." + training::pytorch_name(parameter);
}

/// Returns the gradient of the embedding with one row per word. `rows` has only the rows of the
/// words in the batch; the other rows are +0.
template <class T>
Tensor<T> scatter_embedding_rows(const StepInputs& question, const Tensor<T>& rows) {
  const auto& ids = question.batch.inputs.tokens.ids;
  const std::set<std::int32_t> batch_token_ids(ids.begin(), ids.end());
  const std::size_t width = rows.shape(1);
  auto whole = ref::tensor::full_tensor<T>({question.config.encoder.vocab_size, width}, T(0));
  const T* next = rows.data();
  for (const std::int32_t id : batch_token_ids) {
    std::copy_n(next, width, whole.data() + static_cast<std::size_t>(id) * width);
    next += width;
  }
  return whole;
}

/// Returns a tap, that is, a function that receives intermediate tensors. It throws if the argument
/// of a ReLU may have another sign in PyTorch than in the reference.
template <class T>
ref::encoder::TensorTap<T> make_relu_sign_check(const StepInputs& question) {
  const bool relu = question.config.encoder.activation == ref::model::Activation::relu;
  return [relu](const std::string& name, const Tensor<T>& values) {
    if constexpr (std::is_same_v<T, any_order_error>)
      if (relu && name.ends_with("feed_forward.inner") &&
          !std::ranges::all_of(values, [](const T& v) { return std::fabs(v.value) > 2 * v.error; }))
        throw std::logic_error(name + " may be on either side of 0");
  };
}

template <class T>
NamedTensors<T> run_whole_step(const StepInputs& question) {
  NamedTensors<T> results;
  ref::train::TrainState<T> state{to_scalar<T>(question.parameters), {}, {}, 0};
  const auto check = make_relu_sign_check<T>(question);
  const ref::encoder::TensorTap<T> tap = [&](const std::string& name, const Tensor<T>& values) {
    check(name, values);
    if (name == "loss") results.set(name, values);
    if (name == "grad_embedding.weight.rows")
      results.set("grad.embedding.weight", scatter_embedding_rows(question, values));
    else if (name.starts_with("grad_") && question.parameters.contains(name.substr(5)))
      results.set(gradient_name(name.substr(5)), values);
  };
  ref::train::train_step<T>(question.config, std::span(&question.batch, 1), {}, state, tap);
  for (const auto& [name, values] : state.parameters)
    results.set("after." + training::pytorch_name(name), values);
  return results;
}

/// Computes the parts of a step in the scalar T. The inputs of each part are from PyTorch's answer.
template <class T>
class StepParts {
 public:
  StepParts(const StepInputs& question, const NamedTensors<double>& answer)
      : question_(question),
        encoder_(question.config.encoder),
        answer_(answer),
        parameters_(ref::encoder::from_named(encoder_, to_scalar<T>(question.parameters))) {}

  NamedTensors<T> all() {
    embedding();
    for (std::size_t l = 0; l < encoder_.num_layers; ++l) layer(l);
    head();
    NamedTensors<T> dense = ref::encoder::to_named(std::move(gradients_));
    for (const auto& [name, values] : dense) results_.set(gradient_name(name), values);
    optimizer();
    return std::move(results_);
  }

 private:
  Tensor<T> given(const std::string& name) const { return to_scalar<T>(answer_.at(name)); }

  void embedding() {
    const ref::nn::Tokens& tokens = question_.batch.inputs.tokens;
    Tensor<T> x = ref::nn::embedding(tokens, parameters_.embedding, encoder_.scaled_embedding);
    const auto positions =
        to_scalar<T>(ref::nn::positional_encoding(tokens.seq_len, encoder_.d_model));
    for (std::size_t i = 0; i < x.size(); ++i)
      x.data()[i] += positions.data()[i % positions.size()];
    results_.set("x.0", std::move(x));
    const auto rows = ref::nn::embedding_backward(given("grad_x.0"), tokens, encoder_.vocab_size,
                                                  encoder_.scaled_embedding)
                          .values;
    results_.set(gradient_name("embedding.weight"), scatter_embedding_rows(question_, rows));
  }

  void layer(std::size_t l) {
    const ref::encoder::TensorTap<T> tap = make_relu_sign_check<T>(question_);
    gradients_.layers.resize(encoder_.num_layers);
    NamedTensors<T> none;
    ref::encoder::EncoderLayer<T> layer(encoder_, parameters_.layers[l], "layer", tap);
    results_.set(fmt::format("x.{}", l + 1), layer.forward(given(fmt::format("x.{}", l)),
                                                           question_.batch.inputs.valid, {}, none));
    results_.set(fmt::format("grad_x.{}", l), layer.backward(given(fmt::format("grad_x.{}", l + 1)),
                                                             {}, none, gradients_.layers[l]));
  }

  /// Computes one part of the step: the forward from the last layer to the loss, and its backward.
  void head() {
    const bool pre = encoder_.placement == NormPlacement::pre;
    const ref::encoder::TensorTap<T> tap;
    NamedTensors<T> none;
    ref::encoder::NamedNorm<T> site;
    Tensor<T> x = given(fmt::format("x.{}", encoder_.num_layers));
    if (pre)
      x = ref::encoder::run_norm<T>(encoder_.norm, parameters_.final_norm, std::move(x),
                                    question_.batch.inputs.valid, ref::model::Mode::training,
                                    "final_norm", none, site, tap);
    const Tensor<T> pooled = pool(x);
    const Tensor<T> logits = ref::nn::linear(pooled, parameters_.head);
    const auto& labels = question_.batch.labels;
    const auto loss = ref::train::cross_entropy(logits, labels);
    results_.set("loss", ref::tensor::full_tensor<T>({1}, loss.loss));
    auto back =
        ref::nn::linear_backward(ref::train::cross_entropy_backward(loss.log_probabilities, labels),
                                 pooled, parameters_.head);
    gradients_.head = std::move(back.parameters);
    Tensor<T> grad = spread_over_tokens(back.grad_x);
    if (pre)
      grad = ref::encoder::run_norm_backward<T>(encoder_.norm, std::move(grad), "final_norm", none,
                                                site, gradients_.final_norm, tap);
    results_.set(fmt::format("grad_x.{}", encoder_.num_layers), std::move(grad));
  }

  /// Calls `f(sentence, token, number of real tokens)` for each real token.
  template <class F>
  void for_each_token(F f) const {
    const auto& valid = question_.batch.inputs.valid;
    for (std::size_t b = 0; b < valid.shape(0); ++b) {
      const auto real = static_cast<double>(std::count(
          valid.data() + b * valid.shape(1), valid.data() + (b + 1) * valid.shape(1), true));
      for (std::size_t t = 0; t < valid.shape(1); ++t)
        if (valid(b, t)) f(b, t, T(real));
    }
  }

  Tensor<T> pool(const Tensor<T>& x) const {
    auto sum = ref::tensor::full_tensor<T>({x.shape(0), x.shape(2)}, T(0)), mean = sum;
    for_each_token([&](std::size_t b, std::size_t t, const T& count) {
      for (std::size_t d = 0; d < x.shape(2); ++d) {
        sum(b, d) += x(b, t, d);
        mean(b, d) = sum(b, d) / count;
      }
    });
    return mean;
  }

  Tensor<T> spread_over_tokens(const Tensor<T>& grad) const {
    const auto& tokens = question_.batch.inputs.tokens;
    auto result =
        ref::tensor::full_tensor<T>({tokens.batch_size, tokens.seq_len, grad.shape(1)}, T(0));
    for_each_token([&](std::size_t b, std::size_t t, const T& count) {
      for (std::size_t d = 0; d < grad.shape(1); ++d) result(b, t, d) = grad(b, d) / count;
    });
    return result;
  }

  void optimizer() {
    ref::train::Gradients<T> gradients;
    auto parameters = to_scalar<T>(question_.parameters);
    for (const auto& [name, values] : question_.parameters)
      gradients.dense.set(name, given(gradient_name(name)));
    ref::train::OptimizerState<T> none;
    ref::train::optimizer_step<T>(question_.config.optimizer, question_.config.learning_rate,
                                  parameters, gradients, none);
    for (const auto& [name, values] : parameters)
      results_.set("after." + training::pytorch_name(name), values);
  }

  const StepInputs& question_;
  const ref::model::EncoderConfig& encoder_;
  const NamedTensors<double>& answer_;
  ref::encoder::EncoderParameters<T> parameters_, gradients_;
  NamedTensors<T> results_;
};

Tensor<double> widen_to_doubles(const StoredTensor& stored) {
  Tensor<double> values = ref::tensor::empty_tensor<double>(stored.shape);
  std::ranges::copy(ref::io::widen(stored), values.data());
  return values;
}

}  // namespace

void write_step_inputs(const std::filesystem::path& folder, const StepInputs& question) {
  const ref::model::EncoderConfig& e = question.config.encoder;
  std::filesystem::create_directories(folder);
  ref::io::write_file(folder / "config.json", training::config_json({.train = question.config}));
  ref::io::write_tensors(folder / "weights.npz", training::to_pytorch(e, question.parameters));
  const auto& tokens = question.batch.inputs.tokens;
  const auto& valid = question.batch.inputs.valid;
  const auto& classes = question.batch.labels;
  const std::vector<double> real(valid.begin(), valid.end());
  const std::vector<std::int64_t> ids(tokens.ids.begin(), tokens.ids.end());
  const std::vector<std::int64_t> labels(classes.begin(), classes.end());
  const auto positions = ref::nn::positional_encoding(tokens.seq_len, e.d_model);
  const std::vector<std::size_t> shape = {tokens.batch_size, tokens.seq_len};
  ref::io::write_tensors(
      folder / "batch.npz",
      std::vector<StoredTensor>{make_tensor("tokens", shape, std::span(ids)),
                                make_tensor("valid", DType::boolean, shape, real),
                                make_tensor("labels", {labels.size()}, std::span(labels)),
                                make_tensor("positions", shape_of(positions),
                                            std::span(positions.data(), positions.size()))});
}

ExpectedStep compute_expected_step(const StepInputs& question) {
  return expect([&]<class T>(const T&) { return run_whole_step<T>(question); });
}

ExpectedStep compute_expected_parts(const StepInputs& question,
                                    const std::vector<StoredTensor>& answer) {
  NamedTensors<double> given;
  for (const StoredTensor& tensor : answer) given.set(tensor.name, widen_to_doubles(tensor));
  return expect([&]<class T>(const T&) { return StepParts<T>(question, given).all(); });
}

std::vector<TensorComparison> judge(const std::vector<StoredTensor>& answer,
                                    const ExpectedStep& expected) {
  std::vector<TensorComparison> judgements;
  for (const auto& [name, exact] : expected.exact) {
    const auto found = std::ranges::find(answer, name, &StoredTensor::name);
    const bool usable = found != answer.end() && found->dtype == DType::float64;
    const Tensor<double> got =
        usable ? widen_to_doubles(*found) : ref::tensor::empty_tensor<double>({0});
    judgements.push_back({name, checks::compare::compare(got, exact, expected.bounds.at(name))});
  }
  return judgements;
}

}  // namespace normproof::verification::interop
