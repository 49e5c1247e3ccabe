#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/character_text.hpp"
#include "ref/train/language.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// The text of a character-level language model, split into parts: the first 90 % for training, the
/// next 5 % for validation, the rest for test.
struct TextData {
  ref::data::Alphabet alphabet;
  std::vector<std::int32_t> training, validation, test;
};

/// A range of character indices in a text: the validation part or the test part.
struct TextRange {
  std::ptrdiff_t begin, end;
};
TextRange text_range(std::size_t characters, bool test);

/// Splits a text into its parts and determines its alphabet.
/// Throws    FileError naming `name` if the text is not UTF-8 or has fewer than 40 characters
TextData split_text(std::string_view text, const std::string& name);

/// Returns the training batches of an epoch. `epoch` is counted from 0. The order of the contexts
/// is a shuffle that depends on the seed and the epoch.
std::vector<ref::train::TextBatch> text_batches(const TextData& data, const RunConfig& config,
                                                std::uint64_t epoch);

/// Returns batches of the contexts of a text, in the order of the text. Every character except the
/// first is predicted once.
/// Requires  the requirements of ref::data::make_contexts
std::vector<ref::train::TextBatch> make_batches_in_order(const std::vector<std::int32_t>& text,
                                                         const RunConfig& config);

/// Returns a JSON text with the alphabet, sizes and hashes of the text.
std::string text_json(const TextData& data);

/// Reads the alphabet from a JSON text that text_json() returned.
/// Throws    FileError naming `file`
ref::data::Alphabet read_alphabet(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
