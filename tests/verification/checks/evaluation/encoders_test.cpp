#include "verification/checks/evaluation/encoders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/checks/evaluation/sequence.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::Operation;
using ref::numeric::FileError;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Tensors = std::vector<StoredTensor>;

StoredTensor random_stored_tensor(const std::string& name, std::vector<std::size_t> shape) {
  const ref::numeric::RandomStream random(1, name);
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::vector<double> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(random.normal(i));
  return ref::io::make_tensor(name, DType::float64, std::move(shape), values);
}

StoredTensor stored_integers(const char* name, std::vector<std::size_t> shape,
                             const std::vector<double>& values) {
  return ref::io::make_tensor(name, DType::int64, std::move(shape), values);
}

/// Returns the weights of an encoder layer with d_model = d_ff = 2. `prefix` is the prefix of the
/// parameters' names.
Tensors layer_weights(const std::string& prefix) {
  Tensors tensors;
  const auto add = [&](const char* name, std::vector<std::size_t> shape) {
    tensors.push_back(random_stored_tensor(prefix + name, std::move(shape)));
  };
  add("attention.in.weight", {6, 2});
  add("attention.in.bias", {6});
  add("attention.out.weight", {2, 2});
  add("attention.out.bias", {2});
  add("norm1.gamma", {2});
  add("norm1.beta", {2});
  add("feed_forward.first.weight", {2, 2});
  add("feed_forward.first.bias", {2});
  add("feed_forward.second.weight", {2, 2});
  add("feed_forward.second.bias", {2});
  add("norm2.gamma", {2});
  add("norm2.beta", {2});
  return tensors;
}

Tensors layer_tensors() {
  Tensors tensors = layer_weights("");
  tensors.push_back(random_stored_tensor("x", {1, 3, 2}));
  tensors.push_back(random_stored_tensor("grad_y", {1, 3, 2}));
  return tensors;
}

Tensors encoder_tensors() {
  Tensors tensors = layer_weights("layers.0.");
  tensors.push_back(random_stored_tensor("embedding.weight", {4, 2}));
  tensors.push_back(random_stored_tensor("head.weight", {3, 2}));
  tensors.push_back(random_stored_tensor("head.bias", {3}));
  tensors.push_back(stored_integers("tokens", {2, 2}, {1, 3, 1, 1}));
  tensors.push_back(stored_integers("labels", {2}, {2, 0}));
  return tensors;
}

NamedTensors<double> run(const Operation& operation, const Tensors& tensors,
                         ref::model::Mode mode = ref::model::Mode::training) {
  return run_operation<double>(operation, operation_inputs("f", tensors, operation, mode, false),
                               false);
}

Tensors remove_tensor(Tensors tensors, std::string_view name) {
  std::erase_if(tensors, [&](const StoredTensor& tensor) { return tensor.name == name; });
  return tensors;
}

TEST(EncoderEvaluation, EncoderLayerReturnsYAndEveryGradient) {
  const auto results = run(ref::model::operation("encoder_layer"), layer_tensors());
  EXPECT_EQ(ref::tensor::shape_of(results.at("y")), (ref::tensor::Shape{1, 3, 2}));
  EXPECT_EQ(ref::tensor::shape_of(results.at("attention.weights")),
            (ref::tensor::Shape{1, 1, 3, 3}));
  for (const StoredTensor& tensor : layer_tensors())
    if (tensor.name != "grad_y") {
      EXPECT_EQ(ref::tensor::shape_of(results.at("grad_" + tensor.name)), tensor.shape);
    }
  const auto forward =
      run(ref::model::operation("encoder_layer"), remove_tensor(layer_tensors(), "grad_y"));
  EXPECT_THAT(forward.names(), ElementsAre("attention.weights", "y"));
}

/// Returns the tensors of a decoder layer with two target positions and three source positions.
Tensors decoder_tensors() {
  Tensors tensors;
  const auto add = [&](const char* name, std::vector<std::size_t> shape) {
    tensors.push_back(random_stored_tensor(name, std::move(shape)));
  };
  for (const StoredTensor& tensor : layer_weights(""))
    if (!tensor.name.starts_with("attention.")) tensors.push_back(tensor);
  add("norm3.gamma", {2});
  add("norm3.beta", {2});
  add("self_attention.in.weight", {6, 2});
  add("self_attention.in.bias", {6});
  add("self_attention.out.weight", {2, 2});
  add("self_attention.out.bias", {2});
  add("cross_attention.query.weight", {2, 2});
  add("cross_attention.query.bias", {2});
  add("cross_attention.memory.weight", {4, 2});
  add("cross_attention.memory.bias", {4});
  add("cross_attention.out.weight", {2, 2});
  add("cross_attention.out.bias", {2});
  add("x", {2, 2, 2});
  add("memory", {2, 3, 2});
  add("grad_y", {2, 2, 2});
  return tensors;
}

TEST(EncoderEvaluation, DecoderLayerReturnsYAndEveryGradient) {
  const Operation layer = ref::model::operation("decoder_layer");
  const auto results = run(layer, decoder_tensors());
  EXPECT_EQ(ref::tensor::shape_of(results.at("self_attention.weights")),
            (ref::tensor::Shape{2, 1, 2, 2}));
  EXPECT_EQ(ref::tensor::shape_of(results.at("cross_attention.weights")),
            (ref::tensor::Shape{2, 1, 2, 3}));
  for (const StoredTensor& tensor : decoder_tensors())
    if (tensor.name != "grad_y") {
      EXPECT_EQ(ref::tensor::shape_of(results.at("grad_" + tensor.name)), tensor.shape);
    }
  const auto forward = run(layer, remove_tensor(decoder_tensors(), "grad_y"));
  EXPECT_THAT(forward.names(),
              ElementsAre("self_attention.weights", "cross_attention.weights", "y"));
  // The first query attends only to the first key.
  EXPECT_EQ(results.at("self_attention.weights").data()[0], 1);
  EXPECT_EQ(results.at("self_attention.weights").data()[1], 0);
}

/// Compares each element of each gradient with a difference quotient of the forward at 100 digits.
TEST(EncoderEvaluation, DecoderGradientsMatchDifferenceQuotients) {
  using ref::numeric::oracle100;
  Operation layer = ref::model::operation("decoder_layer");
  ref::model::set_option(layer, "placement", "pre");
  ref::model::set_option(layer, "activation", "gelu");
  Tensors tensors = decoder_tensors();
  tensors.push_back(ref::io::make_tensor("memory_valid", DType::boolean, {2, 3},
                                         std::vector<double>{1, 1, 1, 1, 0, 1}));
  const auto of_mode = [&](const Tensors& at) {
    return operation_inputs("f", at, layer, ref::model::Mode::training, false);
  };
  const auto gradients = run_operation<oracle100>(layer, of_mode(tensors), false);
  const std::vector<double> grad_y = ref::io::widen(random_stored_tensor("grad_y", {2, 2, 2}));
  const auto weighted_output_sum = [&](const Tensors& at) {
    const auto y =
        run_operation<oracle100>(layer, of_mode(remove_tensor(at, "grad_y")), false).at("y");
    oracle100 sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += grad_y[i] * y.data()[i];
    return sum;
  };
  constexpr double kStep = 0x1p-24;
  for (StoredTensor& tensor : tensors) {
    if (tensor.name == "grad_y" || tensor.dtype == DType::boolean) continue;
    const StoredTensor given = tensor;
    const std::vector<double> values = ref::io::widen(given);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto moved = [&](double by) {
        std::vector<double> other = values;
        other[i] += by;
        tensor = ref::io::make_tensor(given.name, given.dtype, given.shape, other);
        return weighted_output_sum(tensors);
      };
      const double high = values[i] + kStep, low = values[i] - kStep;
      const oracle100 slope = (moved(kStep) - moved(-kStep)) / (oracle100(high) - oracle100(low));
      const oracle100 found = gradients.at("grad_" + given.name).data()[i];
      // The next term of Taylor's series is smaller by a factor of about kStep^2.
      EXPECT_LE(abs(slope - found), 0x1p-32 * (1 + abs(found))) << given.name << " " << i;
    }
    tensor = given;
  }
}

/// A small step along the gradient must reduce the loss by as much as the gradient predicts.
TEST(EncoderEvaluation, StepAlongTheGradientLowersTheLossAsPredicted) {
  const Operation operation = ref::model::operation("encoder");
  const auto before = run(operation, encoder_tensors());
  EXPECT_EQ(ref::tensor::shape_of(before.at("logits")), (ref::tensor::Shape{2, 3}));
  double squares = 0;
  constexpr double kStep = 0x1p-20;
  Tensors moved = encoder_tensors();
  for (StoredTensor& tensor : moved) {
    const Tensor<double>* const grad = before.find("grad_" + tensor.name);
    if (grad == nullptr) continue;
    std::vector<double> values = ref::io::widen(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] -= kStep * grad->data()[i];
      squares += grad->data()[i] * grad->data()[i];
    }
    tensor = ref::io::make_tensor(tensor.name, tensor.dtype, tensor.shape, values);
  }
  const double fall = before.at("loss").data()[0] - run(operation, moved).at("loss").data()[0];
  EXPECT_GT(squares, 0);
  // The next term of Taylor's series is smaller by a factor of about kStep.
  EXPECT_LE(std::fabs(fall - kStep * squares), 0x1p-10 * kStep * squares);
}

TEST(EncoderEvaluation, GradientOfUnusedEmbeddingRowsIsZero) {
  const auto grad =
      run(ref::model::operation("encoder"), encoder_tensors()).at("grad_embedding.weight");
  EXPECT_EQ(ref::tensor::shape_of(grad), (ref::tensor::Shape{4, 2}));
  for (const std::size_t i : {0, 1, 4, 5}) EXPECT_EQ(grad.data()[i], 0);
  EXPECT_NE(grad.data()[2], 0);
  EXPECT_NE(grad.data()[6], 0);
}

TEST(EncoderEvaluation, TrainingUpdatesTheStateOfNorms) {
  Operation operation = ref::model::operation("encoder_layer");
  ref::model::set_option(operation, "norm", "batch_norm");
  const auto results = run(operation, layer_tensors());
  EXPECT_NE(results.at("norm1.running_mean").data()[0], 0);
  const auto inference = run(operation, layer_tensors(), ref::model::Mode::inference);
  EXPECT_EQ(inference.at("norm1.running_mean").data()[0], 0);
  ref::model::set_option(operation, "placement", "pre");
  EXPECT_NE(run(operation, layer_tensors()).at("y").data()[0], results.at("y").data()[0]);
}

TEST(EncoderEvaluation, DoesNotAttendToPadding) {
  Tensors tensors = layer_tensors();
  const std::vector<double> valid = {1, 1, 0};
  tensors.push_back(ref::io::make_tensor("valid", DType::boolean, {1, 3}, valid));
  const auto weights = run(ref::model::operation("encoder_layer"), tensors).at("attention.weights");
  for (const std::size_t row : {0, 1, 2}) EXPECT_EQ(weights.data()[3 * row + 2], 0);
}

TEST(EncoderEvaluation, ErrorsNameTheTensorAndWhatIsExpected) {
  const auto message = [](const char* name, const Tensors& tensors) {
    return ref::numeric::error_message<FileError>(
        [&] { run(ref::model::operation(name), tensors); });
  };
  EXPECT_THAT(message("encoder_layer", remove_tensor(layer_tensors(), "x")),
              HasSubstr("x is absent"));
  EXPECT_THAT(message("encoder_layer", remove_tensor(layer_tensors(), "norm1.gamma")),
              HasSubstr("norm1.gamma is absent; expected shape [2]"));
  Tensors more = layer_tensors();
  more.push_back(random_stored_tensor("norm3.gamma", {2}));
  EXPECT_THAT(message("encoder_layer", more), HasSubstr("unknown tensor 'norm3.gamma'"));
  Tensors labels = remove_tensor(encoder_tensors(), "labels");
  labels.push_back(stored_integers("labels", {2}, {3, 0}));
  EXPECT_THAT(message("encoder", labels), HasSubstr("whole numbers from 0 to 2"));
  EXPECT_THAT(message("encoder", remove_tensor(encoder_tensors(), "head.weight")),
              HasSubstr("num_classes is 0"));
  Operation heads = ref::model::operation("encoder_layer");
  ref::model::set_option(heads, "num_heads", "3");
  EXPECT_THAT(ref::numeric::error_message<FileError>([&] { run(heads, layer_tensors()); }),
              HasSubstr("a divisor of d_model, 2"));
}

TEST(EncoderEvaluation, DecoderMemoryIsCheckedAndItsPaddingIgnored) {
  const Operation layer = ref::model::operation("decoder_layer");
  const auto message = [&](const Tensors& tensors) {
    return ref::numeric::error_message<FileError>([&] { run(layer, tensors); });
  };
  EXPECT_THAT(message(remove_tensor(decoder_tensors(), "memory")), HasSubstr("memory is absent"));
  Tensors other = remove_tensor(decoder_tensors(), "memory");
  other.push_back(random_stored_tensor("memory", {1, 3, 2}));
  EXPECT_THAT(message(other), HasSubstr("memory has shape [1, 3, 2]; expected [2,S,2]"));
  Tensors masked = decoder_tensors();
  masked.push_back(ref::io::make_tensor("memory_valid", DType::boolean, {2, 3},
                                        std::vector<double>{1, 1, 0, 1, 1, 1}));
  const auto results = run(layer, masked);
  for (const std::size_t row : {0, 1})
    EXPECT_EQ(results.at("cross_attention.weights").data()[3 * row + 2], 0);
  for (const std::size_t d : {4, 5}) EXPECT_EQ(results.at("grad_memory").data()[d], 0);
  Tensors run_encoder_layer = layer_tensors();
  run_encoder_layer.push_back(random_stored_tensor("memory", {1, 3, 2}));
  EXPECT_THAT(ref::numeric::error_message<FileError>(
                  [&] { run(ref::model::operation("encoder_layer"), run_encoder_layer); }),
              HasSubstr("unknown tensor 'memory'"));
  Operation sentences = layer;
  ref::model::set_option(sentences, "norm", "instance_norm");
  EXPECT_NE(ref::numeric::error_message<FileError>([&] { run(sentences, decoder_tensors()); }),
            "no error");
}

TEST(RunEncoder, C1_RejectsEncoderInInference) {
  EXPECT_EQ(ref::numeric::contract_message([&] {
              run(ref::model::operation("encoder"), encoder_tensors(), ref::model::Mode::inference);
            }),
            "encoder: mode is inference; expected training (C1)");
}

Tensors add_dropout_masks(const std::vector<double>& of_sublayers) {
  Tensors tensors = layer_tensors();
  const auto put = [&](const char* name, std::vector<std::size_t> shape,
                       const std::vector<double>& keep) {
    tensors.push_back(ref::io::make_tensor(name, DType::boolean, std::move(shape), keep));
  };
  put("attention.weights.keep", {1, 1, 3, 3}, std::vector<double>(9, 1));
  put("attention.y.keep", {1, 3, 2}, of_sublayers);
  put("feed_forward.active.keep", {1, 3, 2}, std::vector<double>(6, 1));
  put("feed_forward.y.keep", {1, 3, 2}, of_sublayers);
  return tensors;
}

TEST(EncoderEvaluation, LayerWithDroppedSublayersReturnsItsInput) {
  Operation operation = ref::model::operation("encoder_layer");
  ref::model::set_option(operation, "placement", "pre");
  ref::model::set_option(operation, "dropout", "0.5");
  const Tensors dropped = add_dropout_masks(std::vector<double>(6, 0));
  const auto results = run(operation, dropped);
  const std::vector<double> x = ref::io::widen(random_stored_tensor("x", {1, 3, 2}));
  EXPECT_TRUE(std::ranges::equal(results.at("y"), x));
  const std::vector<double> grad_y = ref::io::widen(random_stored_tensor("grad_y", {1, 3, 2}));
  EXPECT_TRUE(std::ranges::equal(results.at("grad_x"), grad_y));
  // In inference, masks are accepted but not used.
  EXPECT_FALSE(std::ranges::equal(run(operation, dropped, ref::model::Mode::inference).at("y"), x));
  EXPECT_FALSE(
      std::ranges::equal(run(operation, add_dropout_masks({0, 0, 0, 0, 0, 1})).at("y"), x));
}

TEST(EncoderEvaluation, LayerWithDropoutRequiresAMaskForEachDropout) {
  Operation operation = ref::model::operation("encoder_layer");
  ref::model::set_option(operation, "dropout", "0.5");
  const auto message = [&](const Tensors& tensors) {
    return ref::numeric::error_message<FileError>([&] { run(operation, tensors); });
  };
  const Tensors all = add_dropout_masks(std::vector<double>(6, 1));
  EXPECT_THAT(message(remove_tensor(all, "feed_forward.active.keep")),
              HasSubstr("feed_forward.active.keep is absent; expected shape [1, 3, 2]"));
  EXPECT_THAT(ref::numeric::error_message<FileError>(
                  [&] { run(ref::model::operation("encoder_layer"), all); }),
              HasSubstr("unknown tensor 'attention.weights.keep'"));
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
