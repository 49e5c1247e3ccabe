#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// BERT's basic tokenization of uncased text: the words and punctuation marks that WordPiece splits
/// further.
///
/// Source    [DCLT19]; where its two releases differ, the Rust one (tokenizers, BertNormalizer and
///           BertPreTokenizer), which wrote the expected ids: see the notes
/// Computes  in this order, character by character,
///           1. clean-up: U+0000, U+FFFD and the categories Cc, Cf, Co vanish, except that TAB, LF,
///              CR and the characters of property White_Space become a space
///           2. a space before and after each CJK ideograph
///           3. canonical decomposition (NFD), then the category Mn vanishes (accents)
///           4. lower case, each character for itself
///           5. words end at spaces; each punctuation mark (ASCII 21-2F, 3A-40, 5B-60, 7B-7E, and
///              the categories P*) is a word of its own
/// Shapes    words in the order of the text, each UTF-8 and not empty; none for blank text
/// Requires  (C1) text is well-formed UTF-8 of fewer than 2^29 bytes
/// Notes     Categories and decompositions are those of Unicode 8.0, the version of the reference's
///           tables: a later character counts as unassigned, and is kept. So the result does not
///           change with the version of ICU, but for capital letters that its version does not know
///           (ICU 72 knows Unicode 15.0). VT, FF, FS to US and NEL are White_Space and Cc; Cc
///           decides, and they vanish. Accents go before lower case, so U+0130 gives "i"; a capital
///           sigma gives U+03C3 at the end of a word too. Nothing in the text stands for a special
///           token: "[SEP]" is the three words "[", "sep", "]".
/// Throws    ContractError (C1); FileError where ICU's data cannot be loaded
std::vector<std::string> basic_tokenize(std::string_view text);

}  // namespace normproof::ref::data
