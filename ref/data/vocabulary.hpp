#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace normproof::ref::data {

/// A WordPiece vocabulary, which maps tokens to ids and ids to tokens. The id of a token is the
/// number of its line, counted from 0.
///
/// Source    [DCLT19], the file vocab.txt of a BERT release
/// Requires  one token per line, in UTF-8. Each line ends with LF; the LF of the last line may be
///           absent. There is no empty line, no NUL, no CR and no duplicate token; [PAD], [UNK],
///           [CLS] and [SEP] are present
/// Throws    FileError with the file, the number of the line (the first is 1) and the expectation
class Vocabulary {
 public:
  static Vocabulary load(const std::filesystem::path& path);

  /// Does what `load` does, for bytes in memory. Error messages use `name` instead of a file name.
  static Vocabulary parse(std::string_view bytes, std::string_view name);

  /// Does what `load` does, for tokens that are already split and have no line ends. Error messages
  /// use `name` instead of a file name.
  static Vocabulary from_tokens(std::vector<std::string> tokens, std::string_view name);

  std::size_t size() const { return tokens_.size(); }

  /// Returns the token with the id `id`.
  /// Requires  (C1) 0 <= id < size()
  const std::string& token(std::int32_t id) const;

  std::optional<std::int32_t> id(std::string_view token) const;

  std::int32_t pad_id() const { return pad_id_; }
  std::int32_t unk_id() const { return unk_id_; }
  std::int32_t cls_id() const { return cls_id_; }
  std::int32_t sep_id() const { return sep_id_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
  std::int32_t pad_id_ = 0;
  std::int32_t unk_id_ = 0;
  std::int32_t cls_id_ = 0;
  std::int32_t sep_id_ = 0;
};

}  // namespace normproof::ref::data
