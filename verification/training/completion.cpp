#include "verification/training/completion.hpp"

#include <algorithm>
#include <optional>

#include "ref/encoder/incremental_encoder.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {
namespace {

using ref::encoder::IncrementalEncoder;
using Tokens = std::vector<std::int32_t>;

/// Feeds the characters of a text to a model and restarts the model when its context is full.
class ContextReader {
 public:
  explicit ContextReader(const LanguageModel& model)
      : config_(model.config),
        state_(model.state.norms),
        parameters_(ref::encoder::from_named(config_.train.encoder, model.state.parameters)) {}

  /// Feeds the model the tokens that it has not read yet, and returns the most likely next token.
  std::int32_t predict_most_likely_next(const Tokens& tokens) {
    if (!encoder_ || encoder_->size() == config_.context) {
      const bool fits = tokens.size() <= config_.context;
      const std::size_t kept = fits ? tokens.size() : std::max<std::size_t>(1, config_.context / 2);
      encoder_.emplace(config_.train.encoder, parameters_, state_);
      next_ = tokens.size() - kept;
    }
    ref::tensor::Tensor<double> logits;
    while (next_ < tokens.size()) logits = encoder_->append(tokens[next_++]);
    return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
  }

 private:
  const RunConfig& config_;
  const ref::tensor::NamedTensors<double>& state_;
  ref::encoder::EncoderParameters<double> parameters_;
  std::optional<IncrementalEncoder<double>> encoder_;
  std::size_t next_ = 0;  // index of the first token that the model has not read
};

}  // namespace

std::string complete(const LanguageModel& model, const std::string& prompt, std::size_t length) {
  Tokens tokens = model.alphabet.encode(prompt, "the prompt");
  if (tokens.empty())
    ref::numeric::contract_failure("complete", "prompt", "is empty", "a character at least",
                                   ref::numeric::Clause::C1);
  const std::size_t given = tokens.size();
  ContextReader reader(model);
  while (tokens.size() < given + length) tokens.push_back(reader.predict_most_likely_next(tokens));
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(given));
  return model.alphabet.decode(tokens);
}

}  // namespace normproof::verification::training
