#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::training {

/// How BLEU cuts a sentence into tokens: at its spaces alone, or as mteval-v13a.pl does.
enum class BleuTokenizer { none, mteval_13a };

/// "none", "13a"
std::string_view to_string(BleuTokenizer tokenizer);

/// Source    sacrebleu 2.6.0, its tokenizers none and 13a [Pos18]
/// Computes  the tokens between the white space of Python's str.split. Of 13a, before it: white
///           space at the end goes, then "<skipped>" and "-" before LF; LF becomes a space; &quot;
///           &amp; &lt; &gt;, one after the other, what they stand for; each ASCII mark but ' , - .
///           a token of its own; a point or comma too, unless digits are on both sides; and a
///           hyphen behind a digit
/// Requires  (C1) the sentence is well-formed UTF-8 of less than 2^31 bytes
/// Throws    ContractError
std::vector<std::string> bleu_tokens(std::string_view sentence, BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
