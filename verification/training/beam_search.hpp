#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// A sentence during decoding: the state of a model that has read some tokens.
class DecodingState {
 public:
  virtual ~DecodingState() = default;

  /// Copies the state. The copy and the original are independent from then on.
  virtual std::unique_ptr<DecodingState> fork() const = 0;

  /// Reads one more token and returns the logits [V] of the next one.
  virtual ref::tensor::Tensor<double> append(std::int32_t token) = 0;
};

struct BeamOptions {
  std::int32_t begin = 0;        ///< the token that is read first
  std::int32_t end = 0;          ///< the token that ends a sentence
  std::size_t width = 4;         ///< number of hypotheses in the beam; 1: greedy search
  double length_penalty = 0.6;   ///< alpha; 0: no penalty
  std::size_t max_length = 100;  ///< maximum number of tokens in a sentence, including its end
};

/// A sentence that a beam search found.
struct Hypothesis {
  /// Tokens after begin; the last one is `end` if the sentence ended.
  std::vector<std::int32_t> tokens = {};
  double log_probability = 0;
  double score = 0;
  bool ended = false;  ///< false: max_length cut it off
  bool operator==(const Hypothesis&) const = default;
};

/// Returns ((5 + length) / 6)^alpha, computed as exp(alpha log((5 + length) / 6)).
double length_penalty(std::size_t length, double alpha);

/// Returns the most likely sentences that a beam search finds, the best first.
///
/// Source    [WSC+16], section 7
/// Computes  the search from `start`, which has not read `begin`. The beam starts with the empty
///           hypothesis. At each step every hypothesis is extended by every token; its
///           log-probability becomes log_probability + log_softmax(logits)[token]. The best
///           extensions stay in the beam: as many as `width` less the finished sentences. An
///           extension by `end` is finished; one of max_length tokens is cut off. score =
///           log_probability / length_penalty(tokens, alpha). The result holds first the sentences
///           that ended, then those cut off, each by descending score; equal scores keep the order
///           in which they were found.
///           Best means: for one hypothesis, the larger logit, then the lower token; for several,
///           the larger log-probability, then the lower token, then the hypothesis that was better
///           one step before. So a beam of width 1 always takes the first of the largest logits
/// Requires  those of log_softmax; (C1) width and max_length at least 1  (C2) length_penalty >= 0,
///           finite (C3) the logits are [V] with end < V
/// Order     the log-probabilities of a sentence are added from its first token on
/// Throws    ContractError; what `append` throws
std::vector<Hypothesis> beam_search(const DecodingState& start, const BeamOptions& options);

}  // namespace normproof::verification::training
