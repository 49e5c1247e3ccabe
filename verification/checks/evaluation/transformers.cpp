#include "verification/checks/evaluation/transformers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ref/decoder/incremental_decoder.hpp"
#include "ref/tensor/contract.hpp"
#include "ref/train/cross_entropy.hpp"

namespace normproof::verification::checks::evaluation {

namespace decoder = ref::decoder;
namespace encoder = ref::encoder;
using ref::model::DecoderConfig;
using ref::model::DecodingOptions;
using ref::model::LanguageModelOptions;
using ref::model::Mode;
using ref::model::TransformerOperation;
using ref::model::TranslatorOptions;
using ref::tensor::NamedTensors;
using ref::tensor::Shape;
using ref::tensor::Tensor;

namespace {

constexpr std::string_view kDecoder = "decoder.";

bool is_language_model(const TransformerOperation& operation) {
  return std::holds_alternative<LanguageModelOptions>(operation);
}
bool is_decoding(const TransformerOperation& operation) {
  return std::holds_alternative<DecodingOptions>(operation);
}

/// Returns the name that a parameter of the model has in the operation `decoding`; nothing if this
/// operation does not use the parameter.
std::optional<std::string> decoding_parameter_name(const std::string& name) {
  if (name.starts_with(kDecoder)) return name.substr(kDecoder.size());
  if (name.starts_with("head.")) return name;
  return std::nullopt;
}

void check_mode(const char* function, Mode mode, Mode expected) {
  const auto name = [](Mode m) { return m == Mode::training ? "training" : "inference"; };
  if (mode != expected)
    ref::numeric::contract_failure(function, "mode", fmt::format("is {}", name(mode)),
                                   name(expected), ref::numeric::Clause::C1);
}

template <class T>
NamedTensors<T> convert_tensors(const NamedTensors<double>& given) {
  NamedTensors<T> own;
  for (const auto& [name, values] : given) own.set(name, ref::tensor::convert<T>(values));
  return own;
}

/// Returns those parameters of a model that the inputs contain.
template <class T>
NamedTensors<T> select_given_parameters(const TransformerOperation& operation,
                                        const TransformerTensors& in) {
  NamedTensors<T> own;
  for (const encoder::ParameterShape& p : transformer_parameters(operation, in.config))
    own.set(p.name, ref::tensor::convert<T>(in.tensors.at(p.name)));
  return own;
}

template <class T>
Tensor<T> to_full_gradient(const ref::nn::RowGradient<T>& gradient, std::size_t rows,
                           std::size_t width) {
  Tensor<T> whole = ref::tensor::full_tensor<T>({rows, width}, T(0));
  for (std::size_t r = 0; r < gradient.rows.size(); ++r)
    std::copy_n(gradient.values.data() + r * width, width, whole.data() + gradient.rows[r] * width);
  return whole;
}

/// Runs a model in training: from the tokens to the loss, and back to the gradients.
template <class T>
class TrainedModel {
 public:
  TrainedModel(const char* function, const TransformerTensors& in) : in_(in) {
    check_mode(function, in.mode, Mode::training);
    for (std::size_t i = 0; i < in.targets.size(); ++i)
      targets_.push_back(!ref::tensor::is_given(in.valid) || in.valid.data()[i]
                             ? in.targets[i]
                             : ref::train::kIgnored);
  }

  NamedTensors<T> translator(const TransformerOperation& operation) {
    const auto parameters =
        decoder::from_named<T>(in_.config, select_given_parameters<T>(operation, in_));
    decoder::Decoder<T> model(in_.config, parameters);
    const auto gradients = forward_and_backward(
        model, decoder::DecoderInputs{{in_.source, in_.source_valid}, {in_.tokens, in_.valid}});
    store_rows("encoder.embedding.weight", gradients.source_embedding,
               in_.config.source_vocab_size);
    if (!in_.config.tied_head)
      store_rows("decoder.embedding.weight", gradients.target_embedding,
                 in_.config.target_vocab_size);
    put(decoder::to_named(gradients.parameters));
    return std::move(results_);
  }

  NamedTensors<T> language_model(const TransformerOperation& operation) {
    const encoder::EncoderConfig config = decoder::target_side(in_.config);
    const auto parameters =
        encoder::from_named<T>(config, select_given_parameters<T>(operation, in_));
    encoder::Encoder<T> model(config, parameters);
    const auto gradients =
        forward_and_backward(model, encoder::EncoderInputs{in_.tokens, in_.valid});
    if (!config.tied_head) store_rows("embedding.weight", gradients.embedding, config.vocab_size);
    put(encoder::to_named(gradients.parameters));
    return std::move(results_);
  }

 private:
  template <class Model, class Inputs>
  auto forward_and_backward(Model& model, const Inputs& inputs) {
    NamedTensors<T> state = convert_tensors<T>(in_.state);
    const Tensor<T> logits = model.forward(inputs, {}, state);
    const auto loss =
        ref::train::cross_entropy<T>(ref::train::reshape_to_rows(logits), targets_, {}, in_.loss);
    Tensor<T> grad =
        ref::train::cross_entropy_backward<T>(loss.log_probabilities, targets_, {}, in_.loss);
    grad.reshape(ref::tensor::shape_of(logits));
    auto gradients = model.backward(grad, state);
    results_.set("logits", logits);
    results_.set("loss", ref::tensor::full_tensor<T>({1}, loss.loss));
    for (const auto& [name, values] : state) results_.set(name, values);
    return gradients;
  }

  void store_rows(const std::string& name, const ref::nn::RowGradient<T>& gradient,
                  std::size_t words) {
    results_.set("grad_" + name, to_full_gradient(gradient, words, in_.config.d_model));
  }
  void put(const NamedTensors<T>& gradients) {
    for (const auto& [name, values] : gradients) results_.set("grad_" + name, values);
  }

  const TransformerTensors& in_;
  std::vector<int> targets_;
  NamedTensors<T> results_;
};

/// Returns the values of sentence b of a tensor whose first axis counts the sentences.
template <class T>
Tensor<T> select_sentence(const Tensor<double>& all, std::size_t b) {
  const Shape shape = {1, all.shape(1), all.shape(2)};
  Tensor<T> own = ref::tensor::empty_tensor<T>(shape);
  for (std::size_t i = 0; i < own.size(); ++i) own.data()[i] = T(all.data()[b * own.size() + i]);
  return own;
}

template <class T>
class Decoding {
 public:
  explicit Decoding(const TransformerTensors& in) : in_(in) {
    check_mode("decoding", in.mode, Mode::inference);
    NamedTensors<T> named;
    // Decoding does not use the other parameters of the model; they are 0.
    for (const encoder::ParameterShape& p : decoder::parameter_shapes(in.config)) {
      const std::optional<std::string> own = decoding_parameter_name(p.name);
      named.set(p.name, own ? ref::tensor::convert<T>(in.tensors.at(*own))
                            : ref::tensor::full_tensor<T>(p.shape, T(0)));
    }
    parameters_ = decoder::from_named<T>(in.config, std::move(named));
    for (const auto& [name, values] : in.state)
      state_.set(std::string(kDecoder) + name, ref::tensor::convert<T>(values));
    const Tensor<double>* const past = in.tensors.find(past_tensor_name(0, "keys"));
    past_ = past == nullptr ? 0 : past->shape(1);
    words_ = in.config.target_vocab_size;
  }

  NamedTensors<T> run() {
    const std::size_t samples = in_.tokens.batch_size, length = in_.tokens.seq_len;
    Tensor<T> logits = ref::tensor::empty_tensor<T>({samples, length, words_});
    for (std::size_t b = 0; b < samples; ++b) {
      decoder::IncrementalDecoder<T> model(in_.config, parameters_, state_,
                                           encoder_output_of_sentence(b), past_keys_of_sentence(b));
      for (std::size_t t = 0; t < length; ++t) {
        const Tensor<T> own = model.append(in_.tokens.ids[b * length + t]);
        std::copy_n(own.data(), words_, logits.data() + (b * length + t) * words_);
      }
      keep(b, model.caches());
    }
    results_.set("logits", std::move(logits));
    return std::move(results_);
  }

 private:
  static std::string past_tensor_name(std::size_t layer, const char* part) {
    return fmt::format("layers.{}.self_attention.past_{}", layer, part);
  }

  decoder::Memory<T> encoder_output_of_sentence(std::size_t b) const {
    const Tensor<double>& all = in_.tensors.at("memory");
    decoder::Memory<T> memory{select_sentence<T>(all, b), {}};
    if (!ref::tensor::is_given(in_.source_valid)) return memory;
    memory.valid = ref::tensor::full_tensor<bool>({1, all.shape(1)}, true);
    std::copy_n(in_.source_valid.data() + b * all.shape(1), all.shape(1), memory.valid.data());
    return memory;
  }

  std::vector<ref::nn::KeyValueCache<T>> past_keys_of_sentence(std::size_t b) const {
    std::vector<ref::nn::KeyValueCache<T>> caches(in_.config.decoder.num_layers);
    for (std::size_t l = 0; past_ > 0 && l < caches.size(); ++l) {
      const auto part = [&](const char* name) {
        const Tensor<T> own = select_sentence<T>(in_.tensors.at(past_tensor_name(l, name)), b);
        return std::vector<T>(own.begin(), own.end());
      };
      caches[l] = {part("keys"), part("values")};
    }
    return caches;
  }

  void keep(std::size_t b, const std::vector<ref::nn::KeyValueCache<T>>& caches) {
    const Shape shape = {in_.tokens.batch_size, past_ + in_.tokens.seq_len, in_.config.d_model};
    const auto put = [&](std::size_t l, const char* part, const std::vector<T>& own) {
      const std::string name = fmt::format("layers.{}.self_attention.{}", l, part);
      if (b == 0) results_.set(name, ref::tensor::empty_tensor<T>(shape));
      std::copy(own.begin(), own.end(), results_.at(name).data() + b * own.size());
    };
    for (std::size_t l = 0; l < caches.size(); ++l) {
      put(l, "keys", caches[l].keys);
      put(l, "values", caches[l].values);
    }
  }

  const TransformerTensors& in_;
  decoder::DecoderParameters<T> parameters_;
  NamedTensors<T> state_, results_;
  std::size_t past_ = 0, words_ = 0;
};

/// Sets the options of the encoder and the decoder of a model from an operation. It does not set
/// extents.
struct SideOptions {
  DecoderConfig& config;

  void operator()(const TranslatorOptions& o) const {
    copy(o);
    put(o, o.norm, config.encoder);
    put(o, o.decoder_norm, config.decoder);
  }
  void operator()(const LanguageModelOptions& o) const {
    copy(o);
    put(o, o.norm, config.decoder);
  }
  void operator()(const DecodingOptions& o) const {
    copy(o);
    put(o, o.norm, config.decoder);
  }

 private:
  template <class Options>
  void copy(const Options& o) const {
    config.placement = o.placement;
    config.activation = o.activation;
    config.positions = o.positions;
    config.scaled_embedding = o.scaled_embedding;
    config.tied_head = o.tied_head;
  }
  template <class Options>
  static void put(const Options& o, const ref::model::NormOptions& norm,
                  ref::model::LayersConfig& side) {
    side.num_heads = o.num_heads;
    side.num_layers = o.num_layers;
    side.norm = side.final_norm = norm;
  }
};

}  // namespace

DecoderConfig transformer_config(const TransformerOperation& operation,
                                 const MatrixShape& shape_of) {
  const ref::model::LayersConfig of_one_word{.num_heads = 1, .d_ff = 1, .num_layers = 1};
  DecoderConfig config{.source_vocab_size = 1, .encoder = of_one_word, .dropout = 0};
  std::visit(SideOptions{config}, operation);
  const auto extents = [&](const std::string& name) {
    return shape_of(name).value_or(std::pair<std::size_t, std::size_t>{0, 0});
  };
  const bool both = std::holds_alternative<TranslatorOptions>(operation);
  const std::string side = both ? std::string(kDecoder) : "";
  std::tie(config.target_vocab_size, config.d_model) = extents(side + "embedding.weight");
  constexpr const char* kFirst = "layers.0.feed_forward.first.weight";
  config.decoder.d_ff = extents(side + kFirst).first;
  if (!both) return config;
  config.source_vocab_size = extents("encoder.embedding.weight").first;
  config.encoder.d_ff = extents(std::string("encoder.") + kFirst).first;
  return config;
}

std::vector<encoder::ParameterShape> transformer_parameters(const TransformerOperation& operation,
                                                            const DecoderConfig& config) {
  if (is_language_model(operation)) {
    decoder::check_decoder("language_model", config);
    return encoder::parameter_shapes(decoder::target_side(config));
  }
  std::vector<encoder::ParameterShape> all = decoder::parameter_shapes(config);
  if (!is_decoding(operation)) return all;
  std::vector<encoder::ParameterShape> own;
  for (const encoder::ParameterShape& p : all)
    if (const auto name = decoding_parameter_name(p.name)) own.push_back({*name, p.shape});
  return own;
}

NamedTensors<double> transformer_state(const TransformerOperation& operation,
                                       const DecoderConfig& config) {
  if (is_language_model(operation))
    return encoder::initial_norm_state<double>(decoder::target_side(config));
  NamedTensors<double> all = decoder::initial_norm_state<double>(config);
  if (!is_decoding(operation)) return all;
  NamedTensors<double> own;
  for (const auto& [name, values] : all)
    if (const auto own_name = decoding_parameter_name(name)) own.set(*own_name, values);
  return own;
}

std::optional<double> initial_norm_value(const TransformerOperation& operation,
                                         const DecoderConfig& config,
                                         const std::string& parameter) {
  const bool both = std::holds_alternative<TranslatorOptions>(operation);
  return decoder::initial_norm_value(config,
                                     (both ? std::string() : std::string(kDecoder)) + parameter);
}

template <ref::numeric::Real T>
NamedTensors<T> run_transformer(const TransformerOperation& operation,
                                const TransformerTensors& inputs) {
  if (is_decoding(operation)) return Decoding<T>(inputs).run();
  if (is_language_model(operation))
    return TrainedModel<T>("language_model", inputs).language_model(operation);
  return TrainedModel<T>("translator", inputs).translator(operation);
}

#define NORMPROOF_INSTANTIATE(T) \
  template NamedTensors<T> run_transformer(const TransformerOperation&, const TransformerTensors&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::evaluation
