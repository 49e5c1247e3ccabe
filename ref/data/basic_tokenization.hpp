#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Splits uncased text by BERT's basic tokenization into the words and punctuation marks that
/// WordPiece splits further.
///
/// Source    [DCLT19]; its two releases differ in some cases (see the notes). In these cases this
///           function follows the Rust release (tokenizers, BertNormalizer and BertPreTokenizer),
///           which produced the ids that the tests expect
/// Computes  in this order, character by character,
///           1. clean-up: U+0000, U+FFFD and the categories Cc, Cf, Co are removed, except that
///              TAB, LF, CR and the characters with the property White_Space become a space
///           2. a space is inserted before and after each CJK ideograph
///           3. canonical decomposition (NFD), then the category Mn (accents) is removed
///           4. lower case, for each character separately
///           5. words end at spaces; each punctuation mark (ASCII 21-2F, 3A-40, 5B-60, 7B-7E,
///              and the categories P*) is a separate word
/// Shapes    the words are in the order of the text, in UTF-8 and not empty. Blank text has no
///           words
/// Requires  (C1) text is well-formed UTF-8 of fewer than 2^29 bytes
/// Notes     Categories and decompositions are those of Unicode 8.0, the version of the Rust
///           release's tables. A character of a later version counts as unassigned and is kept. So
///           the result does not depend on the version of ICU, except for capital letters that ICU
///           does not know (ICU 72 knows Unicode 15.0). VT, FF, FS to US and NEL are both
///           White_Space and Cc; because they are Cc, they are removed. Accents are removed before
///           lower case is applied, so U+0130 gives "i". A capital sigma gives U+03C3, even at the
///           end of a word. No text stands for a special token: "[SEP]" becomes the three words
///           "[", "sep", "]".
/// Throws    ContractError (C1); FileError if ICU's data cannot be loaded
std::vector<std::string> basic_tokenize(std::string_view text);

}  // namespace normproof::ref::data
