#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ref/tensor/tensor.hpp"

namespace normproof::verification::training {

/// A sentence as it is decoded: the tokens that a model has read so far.
class DecodingState {
 public:
  virtual ~DecodingState() = default;

  /// The same one again; what either reads from now on the other does not see.
  virtual std::unique_ptr<DecodingState> fork() const = 0;

  /// Reads a token more; the logits [V] of the one that follows.
  virtual ref::tensor::Tensor<double> append(std::int32_t token) = 0;
};

struct BeamOptions {
  std::int32_t begin = 0;        ///< the token that is read first
  std::int32_t end = 0;          ///< the token that ends a sentence
  std::size_t width = 4;         ///< hypotheses at once; 1: greedy
  double length_penalty = 0.6;   ///< alpha; 0: none
  std::size_t max_length = 100;  ///< tokens of a sentence, its end included
};

/// A sentence that a beam search came to.
struct Hypothesis {
  std::vector<std::int32_t> tokens = {};  ///< behind begin; the last one is end where it ended
  double log_probability = 0;
  double score = 0;
  bool ended = false;  ///< false: max_length cut it off
  bool operator==(const Hypothesis&) const = default;
};

/// ((5 + length) / 6)^alpha, as exp(alpha log((5 + length) / 6)).
double length_penalty(std::size_t length, double alpha);

/// The likeliest sentences that a beam finds, the best first.
///
/// Source    [WSC+16], section 7
/// Computes  from `start`, which has not read `begin`. The beam begins with the empty hypothesis.
///           At each step every hypothesis of it goes on with every token, its log-probability
///           log_probability + log_softmax(logits)[token]; the best of all these go on, as many as
///           `width` less the sentences that are finished. One that goes on with `end` is finished,
///           and one of max_length tokens too, cut off. score = log_probability /
///           length_penalty(tokens, alpha). The result: those that ended, then those cut off, each
///           by their scores, equal ones in the order in which they were found
///           The best: of one hypothesis the larger logit, then the lower token; of several the
///           larger log-probability, then the lower token, then the hypothesis that was better the
///           step before. So a beam of one takes the first of the largest logits each time
/// Requires  those of log_softmax; (C1) width and max_length at least 1
///           (C2) length_penalty >= 0, finite  (C3) the logits are [V] with end < V
/// Order     the log-probabilities of a sentence are added from its first token on
/// Throws    ContractError; what `append` throws
std::vector<Hypothesis> beam_search(const DecodingState& start, const BeamOptions& options);

}  // namespace normproof::verification::training
