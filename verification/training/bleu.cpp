#include "verification/training/bleu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {
namespace {

/// Returns how often each n-gram occurs in a sentence. The key of an n-gram is its tokens,
/// separated by spaces; no token contains a space.
std::map<std::string, std::size_t> count_ngrams(const std::vector<std::string>& tokens,
                                                std::size_t n) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i + n <= tokens.size(); ++i) {
    std::string ngram = tokens[i];
    for (std::size_t k = 1; k < n; ++k) ngram += " " + tokens[i + k];
    ++counts[ngram];
  }
  return counts;
}

void add_sentence(Bleu& bleu, const std::vector<std::string>& hypothesis,
                  const std::vector<std::string>& reference) {
  bleu.hypothesis_length += hypothesis.size();
  bleu.reference_length += reference.size();
  for (std::size_t n = 1; n <= Bleu::orders; ++n) {
    const auto in_reference = count_ngrams(reference, n);
    for (const auto& [ngram, count] : count_ngrams(hypothesis, n)) {
      bleu.totals[n - 1] += count;
      const auto found = in_reference.find(ngram);
      if (found != in_reference.end()) bleu.matches[n - 1] += std::min(count, found->second);
    }
  }
}

double compute_brevity_penalty(const Bleu& bleu) {
  if (bleu.hypothesis_length >= bleu.reference_length) return 1;
  if (bleu.hypothesis_length == 0) return 0;
  return ref::numeric::exp(1 - static_cast<double>(bleu.reference_length) /
                                   static_cast<double>(bleu.hypothesis_length));
}

/// Computes the precisions, the brevity penalty and the score from the counts in `bleu`.
void compute_score_from_counts(Bleu& bleu) {
  bleu.brevity_penalty = compute_brevity_penalty(bleu);
  if (std::accumulate(bleu.matches.begin(), bleu.matches.end(), std::size_t{0}) == 0) return;
  double smoothing = 1, logarithms = 0;
  for (std::size_t n = 0; n < Bleu::orders; ++n) {
    if (bleu.totals[n] == 0) return;
    const auto matches = static_cast<double>(bleu.matches[n]),
               total = static_cast<double>(bleu.totals[n]);
    if (bleu.matches[n] == 0) smoothing *= 2;
    bleu.precisions[n] = bleu.matches[n] == 0 ? 100 / (smoothing * total) : 100 * matches / total;
    logarithms += ref::numeric::log(bleu.precisions[n]);
  }
  bleu.score =
      bleu.brevity_penalty * ref::numeric::exp(logarithms / static_cast<double>(Bleu::orders));
}

}  // namespace

Bleu corpus_bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::string>& references, BleuTokenizer tokenizer) {
  if (hypotheses.empty() || hypotheses.size() != references.size())
    ref::numeric::contract_failure(
        "corpus_bleu", "hypotheses", fmt::format("are {}", hypotheses.size()),
        fmt::format("as many as references, {}, and one at least", references.size()),
        ref::numeric::Clause::C1);
  Bleu bleu;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    add_sentence(bleu, bleu_tokens(hypotheses[i], tokenizer),
                 bleu_tokens(references[i], tokenizer));
  compute_score_from_counts(bleu);
  return bleu;
}

std::string to_string(const Bleu& bleu) {
  const auto& p = bleu.precisions;
  const double ratio = bleu.reference_length == 0 ? 0
                                                  : static_cast<double>(bleu.hypothesis_length) /
                                                        static_cast<double>(bleu.reference_length);
  return fmt::format(
      "BLEU = {:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} "
      "ref_len = {})",
      bleu.score, p[0], p[1], p[2], p[3], bleu.brevity_penalty, ratio, bleu.hypothesis_length,
      bleu.reference_length);
}

std::string bleu_signature(BleuTokenizer tokenizer) {
  return fmt::format("nrefs:1|case:mixed|eff:no|tok:{}|smooth:exp|version:2.6.0",
                     to_string(tokenizer));
}

}  // namespace normproof::verification::training
