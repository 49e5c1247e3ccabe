#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::training {

/// How BLEU splits a sentence into tokens: at spaces only, or as mteval-v13a.pl does.
enum class BleuTokenizer { none, mteval_13a };

/// Returns "none" or "13a".
std::string_view to_string(BleuTokenizer tokenizer);

/// Splits a sentence into tokens.
///
/// Source    sacrebleu 2.6.0, its tokenizers none and 13a [Pos18]
/// Computes  the tokens between the white space of Python's str.split. 13a first removes white
///           space at the end, "<skipped>" and "-" before LF; replaces LF by a space and the
///           entities &quot; &amp; &lt; &gt;, in this order, by their characters; and separates
///           each ASCII punctuation mark but ' , - and the period, each period or comma unless
///           digits are on both sides, and each hyphen after a digit
/// Requires  (C1) the sentence is well-formed UTF-8 of less than 2^31 bytes
/// Throws    ContractError
std::vector<std::string> bleu_tokens(std::string_view sentence, BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
