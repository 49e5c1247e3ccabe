#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/character_text.hpp"
#include "ref/train/language.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// A text for a character-level language model: its first 90 % for training, the next 5 % for
/// validation, the rest for test.
struct TextData {
  ref::data::Alphabet alphabet;
  std::vector<std::int32_t> training, validation, test;
};

/// The character range of the part for validation or for test.
struct TextRange {
  std::ptrdiff_t begin, end;
};
TextRange text_range(std::size_t characters, bool test);

/// Splits a text.
/// Throws    FileError naming `name` if the text is not UTF-8 or has fewer than 40 characters
TextData split_text(std::string_view text, const std::string& name);

/// Returns the training batches of an epoch, counted from 0: contexts shuffled by (seed, epoch).
std::vector<ref::train::TextBatch> text_batches(const TextData& data, const RunConfig& config,
                                                std::uint64_t epoch);

/// Returns batches of the contexts of a text in order. Every character but the first is predicted
/// once.
/// Requires  those of ref::data::make_contexts
std::vector<ref::train::TextBatch> batches_in_order(const std::vector<std::int32_t>& text,
                                                    const RunConfig& config);

/// Describes the text as JSON: the alphabet, sizes and hashes.
std::string text_json(const TextData& data);

/// Reads the alphabet that text_json wrote.
/// Throws    FileError naming `file`
ref::data::Alphabet read_alphabet(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
