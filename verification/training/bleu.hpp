#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "verification/training/bleu_tokens.hpp"

namespace normproof::verification::training {

/// The BLEU score of a corpus, and the counts from which it is computed.
struct Bleu {
  static constexpr std::size_t orders = 4;  ///< number of n-gram lengths: 1 to 4 tokens

  double score = 0;  ///< from 0 to 100
  /// For each n: the number of n-grams in the hypotheses that also occur in the references.
  std::array<std::size_t, orders> matches{};
  /// For each n: the number of n-grams in the hypotheses.
  std::array<std::size_t, orders> totals{};
  std::array<double, orders> precisions{};  ///< for each n, in percent, smoothed
  double brevity_penalty = 1;
  std::size_t hypothesis_length = 0, reference_length = 0;  ///< in tokens
};

/// Returns the BLEU score of a corpus of translations (`hypotheses`), as sacrebleu computes it with
/// one reference per sentence, case-sensitive, with smoothing "exp" and without effective order.
///
/// Source    [PRWZ02]; sacrebleu 2.6.0 [Pos18], metrics/bleu.py
/// Computes  two counts for each n from 1 to 4, over all sentences together. totals_n is the number
///           of n-grams in the hypotheses. matches_n is the number of these n-grams that also occur
///           in the reference of their sentence; an n-gram counts at most as often as it occurs in
///           that reference. `precision_n = (100 matches_n) / totals_n`. If matches_n is 0, then
///           `precision_n = 100 / (2^k totals_n)`, where k numbers these n: 1 for the first n
///           without a match, 2 for the second, and so on. brevity_penalty compares the number of
///           tokens h in the hypotheses with the number of tokens r in the references. It is `exp(1
///           - r / h)` if h < r, 0 if h is 0, and otherwise 1. `score = brevity_penalty exp((log
///           precision_1 + ... + log precision_4) / 4)`. The score is 0 if there is no match at all
///           or if no hypothesis has 4 tokens
/// Requires  the requirement of bleu_tokens; (C1) the number of hypotheses equals the number of
///           references and is at least 1
/// Order     the logarithms are added from n = 1 to n = 4. exp and log are correctly rounded.
///           sacrebleu uses exp and log of the C library and, from Python 3.12 on, a compensated
///           sum, so its result may differ by some units in the last place
/// Throws    ContractError
Bleu corpus_bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::string>& references, BleuTokenizer tokenizer);

/// Returns the line that sacrebleu prints for a score: "BLEU = 37.99 66.7/50.0/33.3/25.0 (BP =
/// 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)".
std::string to_string(const Bleu& bleu);

/// Returns the signature that sacrebleu prints for this computation:
/// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0". The version is the version of
/// sacrebleu that gives the same scores.
std::string bleu_signature(BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
