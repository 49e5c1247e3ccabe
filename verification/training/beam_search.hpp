#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// The state of a model while it generates one sentence: it has read some tokens and predicts the
/// next token.
class DecodingState {
 public:
  virtual ~DecodingState() = default;

  /// Returns a copy of the state. Tokens that the copy reads later do not affect this state, and
  /// tokens that this state reads later do not affect the copy.
  virtual std::unique_ptr<DecodingState> fork() const = 0;

  /// Reads one more token and returns the logits [V] of the token that follows it.
  virtual ref::tensor::Tensor<double> append(std::int32_t token) = 0;
};

struct BeamOptions {
  std::int32_t begin = 0;        ///< the first token that the model reads
  std::int32_t end = 0;          ///< the token that ends a sentence
  std::size_t width = 4;         ///< number of hypotheses in the beam; 1: greedy search
  double length_penalty = 0.6;   ///< exponent alpha in length_penalty(); 0: no penalty
  std::size_t max_length = 100;  ///< maximum number of tokens in a sentence, including its end
};

/// A sentence that a beam search found, or its beginning.
struct Hypothesis {
  /// The tokens after the token `begin`. If `ended` is true, the last of them is the token `end`.
  std::vector<std::int32_t> tokens = {};
  double log_probability = 0;
  double score = 0;
  bool ended = false;  ///< false: the sentence was cut off at max_length
  bool operator==(const Hypothesis&) const = default;
};

/// Returns `((5 + length) / 6)^alpha`, by which beam_search divides the log-probability of a
/// sentence of `length` tokens. Computed as `exp(alpha log((5 + length) / 6))`.
double length_penalty(std::size_t length, double alpha);

/// Returns the most likely sentences that a beam search finds, the best first.
///
/// Source    [WSC+16], section 7
/// Computes  a search from the state `start`, which has not yet read `begin`. The beam starts with
///           the empty hypothesis. At each step, every hypothesis in the beam is extended by every
///           token, and the log-probability of the extension is `log_probability +
///           log_softmax(logits)[token]`. The best extensions form the next beam; their number is
///           `width` minus the number of finished sentences. An extension is finished if its last
///           token is `end`. It is cut off if it has max_length tokens.
///           score = log_probability / length_penalty(number of tokens, alpha).
///           The result lists first the sentences that ended, then the sentences that were cut off,
///           each group by descending score. Sentences with equal scores stay in the order in which
///           they were found.
///           Extensions of one hypothesis are ranked by the larger logit, then by the lower token.
///           Extensions of several hypotheses are ranked by the larger log-probability, then by the
///           lower token, then by the rank of their hypothesis one step before. Therefore a beam of
///           width 1 always chooses the lowest of the tokens with the largest logit
/// Requires  the requirements of log_softmax; (C1) width and max_length at least 1 (C2)
///           length_penalty >= 0, finite (C3) the logits are [V] with end < V
/// Order     the log-probabilities of a sentence are added from its first token to its last
/// Throws    ContractError; any exception of DecodingState::append
std::vector<Hypothesis> beam_search(const DecodingState& start, const BeamOptions& options);

}  // namespace normproof::verification::training
