#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/bleu_tokens.hpp"

namespace normproof::verification::training {

/// BLEU of a corpus, and what it is made of.
struct Bleu {
  static constexpr std::size_t orders = 4;  ///< n-grams of 1 to 4 tokens

  double score = 0;  ///< 0 to 100
  std::array<std::size_t, orders>
      matches{};                             ///< n-grams of the hypotheses that the references have
  std::array<std::size_t, orders> totals{};  ///< n-grams of the hypotheses
  std::array<double, orders> precisions{};   ///< of 100, smoothed
  double brevity_penalty = 1;
  std::size_t hypothesis_length = 0, reference_length = 0;  ///< in tokens
};

/// BLEU as sacrebleu gives it: of a corpus, one reference a sentence, case kept, smoothing "exp",
/// no effective order.
///
/// Source    [PRWZ02]; sacrebleu 2.6.0 [Pos18], metrics/bleu.py
/// Computes  over all sentences together: totals_n, how many n-grams the hypotheses have, and
///           matches_n, how many of these the reference has too, each n-gram of a sentence counted
///           at most as often as the reference has it.
///           precision_n = (100 matches_n) / totals_n; without a match 100 / (2^k totals_n), the
///           k-th n without one. brevity_penalty = exp(1 - r / h) where h, the tokens of the
///           hypotheses, are fewer than r, those of the references, and 0 where h is 0; else 1.
///           score = brevity_penalty exp((log p_1 + ... + log p_4) / 4); 0 where there is no match
///           at all, or no n-gram of 4 tokens
/// Requires  that of bleu_tokens; (C1) as many hypotheses as references, one at least
/// Order     the logarithms are added from n = 1 on. exp and log are correctly rounded, where
///           sacrebleu has its C library's, and from Python 3.12 on its sum is compensated: its
///           double may be some units in the last place away
/// Throws    ContractError
Bleu corpus_bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::string>& references, BleuTokenizer tokenizer);

/// "BLEU = 37.99 66.7/50.0/33.3/25.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)"
std::string to_string(const Bleu& bleu);

/// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0": the version of sacrebleu that
/// gives the same
std::string bleu_signature(BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
