#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Number of sentiment labels: negative 0, neutral 1, positive 2.
inline constexpr int num_labels = 3;

/// One sentence of a corpus: UTF-8, and its sentiment label.
struct LabelledSentence {
  std::string sentence;
  int label = 1;
  bool operator==(const LabelledSentence&) const = default;
};

/// Computes  "negative", "neutral" or "positive"
/// Requires  (C1) 0 <= label < num_labels
std::string_view label_name(int label);

/// The sentences of a file in the format of Financial PhraseBank.
///
/// Source    [MSTKW14], release 1.0
/// Computes  one element a line, in the order of the file. A line is sentence@label CR LF, every
///           byte a character of ISO-8859-1; the sentence ends at the last '@' of the line, and the
///           label is negative, neutral or positive, in lower case. The sentence keeps its blanks.
/// Requires  every line, the last one too, to end with CR LF: a final line without it is what a
///           truncated file looks like, and LF alone is what an edited one looks like. Neither an
///           empty line, nor a sentence of blanks only, nor a NUL byte, nor a CR inside a line, nor
///           a UTF-8 byte order mark is part of the format.
/// Throws    FileError with the file, the number of the line from 1, and the expectation
std::vector<LabelledSentence> read_phrasebank(const std::filesystem::path& path);

/// read_phrasebank of bytes in memory; `name` stands for the file in messages.
std::vector<LabelledSentence> parse_phrasebank(std::string_view bytes, std::string_view name);

/// The bytes of a corpus in that format: parse_phrasebank(format_phrasebank(x), name) == x.
/// Requires  (C1) at least one sentence  (C2) each sentence well-formed UTF-8 of characters up to
///           U+00FF, with a character that is no blank, without NUL, CR and LF  (C3) 0 <= label <
///           num_labels  (C4) the bytes do not begin with EF BB BF
/// Throws    ContractError
std::string format_phrasebank(const std::vector<LabelledSentence>& sentences);

}  // namespace normproof::ref::data
