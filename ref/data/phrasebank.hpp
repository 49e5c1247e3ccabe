#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// The number of sentiment labels. The label 0 means negative, 1 means neutral, and 2 means
/// positive.
inline constexpr int num_labels = 3;

/// One sentence of a corpus in UTF-8, with its sentiment label.
struct LabelledSentence {
  std::string sentence;
  int label = 1;
  bool operator==(const LabelledSentence&) const = default;
};

/// Returns the name of a label: "negative", "neutral" or "positive".
/// Requires  (C1) 0 <= label < num_labels
std::string_view label_name(int label);

/// Reads the sentences of a file in the format of Financial PhraseBank.
///
/// Source    [MSTKW14], release 1.0
/// Computes  one element per line, in the order of the file. A line is sentence@label CR LF, where
///           every byte is a character of ISO-8859-1. The sentence ends at the last '@' of the
///           line, and the label is negative, neutral or positive, in lower case. The sentence
///           keeps its blanks.
/// Requires  every line, including the last one, ends with CR LF. If the last line lacks it, the
///           file may be truncated; if a line ends with LF only, the file may have been edited. The
///           format excludes empty lines, sentences that consist of blanks, NUL bytes, a CR inside
///           a line, and a UTF-8 byte order mark.
/// Throws    FileError with the file, the number of the line (the first is 1) and the expectation
std::vector<LabelledSentence> read_phrasebank(const std::filesystem::path& path);

/// Does what read_phrasebank does, for bytes in memory. Error messages use `name` instead of a file
/// name.
std::vector<LabelledSentence> parse_phrasebank(std::string_view bytes, std::string_view name);

/// Returns the bytes of a file in the format of Financial PhraseBank:
/// parse_phrasebank(format_phrasebank(x), name) == x.
/// Requires  (C1) there is at least one sentence
///           (C2) each sentence is well-formed UTF-8 of characters up to U+00FF, has a non-blank
///           character, and has no NUL, CR or LF  (C3) 0 <= label < num_labels
///           (C4) the bytes do not begin with EF BB BF
/// Throws    ContractError
std::string format_phrasebank(const std::vector<LabelledSentence>& sentences);

}  // namespace normproof::ref::data
