#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/character_text.hpp"
#include "ref/train/language.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// A text for a language model of characters: its first 90 % to train on, the next 5 % to validate
/// on, the rest to test.
struct TextData {
  ref::data::Alphabet alphabet;
  std::vector<std::int32_t> training, validation, test;
};

/// Which of a text's characters are validated on, or tested.
struct PartOfText {
  std::ptrdiff_t begin, end;
};
PartOfText part_of_text(std::size_t characters, bool test);

/// Throws    FileError naming `name`: it is not UTF-8, or has less than 40 characters
TextData split_text(std::string_view text, const std::string& name);

/// The batches of an epoch, from 0, of the part to train on: contexts shuffled by (seed, epoch).
std::vector<ref::train::TextBatch> text_batches(const TextData& data, const RunConfig& config,
                                                std::uint64_t epoch);

/// The contexts of a text in their order: every character but the first is predicted once.
/// Requires  those of ref::data::make_contexts
std::vector<ref::train::TextBatch> batches_in_order(const std::vector<std::int32_t>& text,
                                                    const RunConfig& config);

/// What tells one text from another, as JSON: the alphabet, sizes and hashes.
std::string text_json(const TextData& data);

/// The alphabet that text_json wrote.
/// Throws    FileError naming `file`
ref::data::Alphabet alphabet_of(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
