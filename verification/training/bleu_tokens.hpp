#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::training {

/// How BLEU splits a sentence into tokens. With `none`, it splits only at spaces. With
/// `mteval_13a`, it splits as the script mteval-v13a.pl does.
enum class BleuTokenizer { none, mteval_13a };

/// Returns the tokenizer's name in sacrebleu: "none" or "13a".
std::string_view to_string(BleuTokenizer tokenizer);

/// Splits a sentence into tokens in the same way as sacrebleu.
///
/// Source    sacrebleu 2.6.0, its tokenizers none and 13a [Pos18]
/// Computes  the parts of the sentence between white space, as Python's str.split returns them. The
///           tokenizer 13a first removes white space at the end, the text "<skipped>", and "-"
///           before a line feed. It replaces each line feed by a space and the entities &quot;
///           &amp; &lt; &gt;, in this order, by their characters. Then it inserts spaces around
///           ASCII punctuation other than apostrophe, comma, hyphen and period; around a period or
///           comma, unless it is between two digits; and around a hyphen after a digit
/// Requires  (C1) the sentence is well-formed UTF-8 of less than 2^31 bytes
/// Throws    ContractError
std::vector<std::string> bleu_tokens(std::string_view sentence, BleuTokenizer tokenizer);

}  // namespace normproof::verification::training
