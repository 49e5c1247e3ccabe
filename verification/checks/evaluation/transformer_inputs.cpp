#include "verification/checks/evaluation/transformer_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::evaluation {

using ref::io::StoredTensor;
using ref::tensor::Shape;

namespace {

class TransformerReader {
 public:
  TransformerReader(const TensorReader& reader, const ref::model::TransformerOperation& operation,
                    ref::model::Mode mode)
      : reader_(reader), operation_(operation) {
    in_.mode = mode;
    in_.config = transformer_config(
        operation, [&](const std::string& name) { return extents_of_matrix(reader, name); });
  }

  TransformerTensors read() {
    for (const auto& [name, shape] : transformer_parameters(operation_, in_.config))
      take(name, shape);
    ref::tensor::NamedTensors<double> state = transformer_state(operation_, in_.config);
    for (const auto& [name, initial] : state) known_.push_back(name);
    in_.state = read_state(reader_, std::move(state));
    in_.tokens = read_tokens("tokens", in_.config.target_vocab_size);
    std::visit(*this, operation_);
    reader_.check_names(known_);
    return std::move(in_);
  }

  void operator()(const ref::model::TranslatorOptions& o) {
    read_targets(o.label_smoothing);
    in_.source = read_tokens("source", in_.config.source_vocab_size);
    check_sentences("source", in_.source.batch_size);
    read_source_mask("source_valid", in_.source.seq_len);
  }
  void operator()(const ref::model::LanguageModelOptions& o) { read_targets(o.label_smoothing); }
  void operator()(const ref::model::DecodingOptions&) {
    const Shape& memory = required_row_tensor_shape("memory", "S");
    take("memory", memory);
    read_source_mask("memory_valid", memory[1]);
    read_past_keys_and_values();
  }

 private:
  /// Reads the past keys and values of all layers, if the file contains them. A tensor with 0
  /// positions counts as absent.
  void read_past_keys_and_values() {
    std::vector<std::string> names;
    for (std::size_t l = 0; l < in_.config.decoder.num_layers; ++l)
      for (const char* part : {"keys", "values"})
        names.push_back(fmt::format("layers.{}.self_attention.past_{}", l, part));
    known_.insert(known_.end(), names.begin(), names.end());
    if (std::ranges::none_of(
            names, [&](const std::string& name) { return reader_.find(name) != nullptr; }))
      return;
    const Shape& past = required_row_tensor_shape(names.front(), "P", 0);
    for (const std::string& name : names) {
      if (past[1] > 0)
        take(name, past);
      else
        reader_.check_shape(required(name, "shape " + ref::tensor::to_string(past)), past);
    }
  }

  const StoredTensor& required(const std::string& name, const std::string& what) {
    known_.push_back(name);
    return reader_.required(name, fmt::format("the tensor {}, {}", name, what));
  }

  void take(const std::string& name, const Shape& shape) {
    const StoredTensor& tensor = required(name, "shape " + ref::tensor::to_string(shape));
    reader_.check_shape(tensor, shape);
    in_.tensors.set(name, select_step_slice(reader_.values(tensor), 0, shape));
  }

  /// Returns the shape [B,N,D] of a required tensor that has N rows of D features per sentence.
  const Shape& required_row_tensor_shape(const std::string& name, const char* extent,
                                         std::size_t least = 1) {
    const Shape& shape = required(name, fmt::format("[B,{},D]", extent)).shape;
    const std::size_t samples = in_.tokens.batch_size, d = in_.config.d_model;
    if (shape.size() != 3 || shape[0] != samples || shape[1] < least || shape[2] != d)
      reader_.fail(name, "has shape " + ref::tensor::to_string(shape),
                   fmt::format("[{0},{1},{2}], {1} at least {3}", samples, extent, d, least));
    return shape;
  }

  void check_sentences(const char* name, std::size_t sentences) const {
    if (sentences != in_.tokens.batch_size)
      reader_.fail(name, fmt::format("has {} sentences", sentences),
                   fmt::format("{}, as tokens", in_.tokens.batch_size));
  }

  ref::model::Tokens read_tokens(const char* name, std::size_t words) {
    const StoredTensor& tokens = required(name, "of two axes, sentences and tokens");
    const Shape& shape = tokens.shape;
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0)
      reader_.fail(name, "has shape " + ref::tensor::to_string(shape),
                   "two extents, sentences and tokens, of at least 1");
    return {shape[0], shape[1], reader_.ids(tokens, words)};
  }

  void read_targets(double label_smoothing) {
    const Shape shape = {in_.tokens.batch_size, in_.tokens.seq_len};
    const StoredTensor& targets = required("targets", "[B,T]");
    reader_.check_shape(targets, shape);
    in_.targets = reader_.ids(targets, in_.config.target_vocab_size);
    known_.emplace_back("valid");
    in_.valid = read_mask(reader_, "valid", shape);
    in_.loss.label_smoothing = label_smoothing;
  }

  void read_source_mask(const char* name, std::size_t length) {
    known_.emplace_back(name);
    in_.source_valid = read_mask(reader_, name, {in_.tokens.batch_size, length});
  }

  const TensorReader& reader_;
  const ref::model::TransformerOperation& operation_;
  std::vector<std::string> known_;
  TransformerTensors in_;
};

}  // namespace

TransformerTensors transformer_inputs(const TensorReader& reader,
                                      const ref::model::TransformerOperation& operation,
                                      ref::model::Mode mode) {
  return TransformerReader(reader, operation, mode).read();
}

}  // namespace normproof::verification::checks::evaluation
