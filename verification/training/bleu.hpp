#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/bleu_tokens.hpp"

namespace normproof::verification::training {

/// BLEU of a corpus, with the numbers that it is computed from.
struct Bleu {
  static constexpr std::size_t orders = 4;  ///< n-grams of 1 to 4 tokens

  double score = 0;  ///< 0 to 100
  /// N-grams of the hypotheses that also occur in the references.
  std::array<std::size_t, orders> matches{};
  std::array<std::size_t, orders> totals{};  ///< n-grams of the hypotheses
  std::array<double, orders> precisions{};   ///< in percent, smoothed
  double brevity_penalty = 1;
  std::size_t hypothesis_length = 0, reference_length = 0;  ///< in tokens
};

/// Returns BLEU as sacrebleu computes it for a corpus: one reference per sentence, case-sensitive,
/// smoothing "exp", no effective order.
///
/// Source    [PRWZ02]; sacrebleu 2.6.0 [Pos18], metrics/bleu.py
/// Computes  over all sentences together: totals_n, the number of n-grams in the hypotheses, and
///           matches_n, the number of these that the reference has too, where an n-gram of a
///           sentence counts at most as often as it occurs in the reference. precision_n = (100
///           matches_n) / totals_n; without a match 100 / (2^k totals_n) at the k-th such n.
///           brevity_penalty = exp(1 - r / h) if the hypotheses have fewer tokens h than the
///           references r, 0 if h is 0, else 1. score = brevity_penalty exp((log p_1 + ... + log
///           p_4) / 4); 0 without any match, or without an n-gram of 4 tokens
/// Requires  that of bleu_tokens; (C1) as many hypotheses as references, at least one
/// Order     the logarithms are added from n = 1 on. exp and log are correctly rounded, whereas
///           sacrebleu uses those of the C library, and from Python 3.12 on a compensated sum: its
///           double may differ by some units in the last place
/// Throws    ContractError
Bleu corpus_bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::string>& references, BleuTokenizer tokenizer);

/// Writes "BLEU = 37.99 66.7/50.0/33.3/25.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)".
std::string to_string(const Bleu& bleu);

/// Returns the sacrebleu signature of the same computation, with the version of sacrebleu that
/// gives the same scores: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0".
std::string bleu_signature(BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
