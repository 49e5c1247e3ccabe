#pragma once

#include <span>
#include <string_view>

namespace normproof::ref::data {

/// A list of texts of the synthetic corpus. "{name}" in a text stands for an element of the list of
/// that name, or for a number that synthetic.cpp generates.
struct LexiconList {
  std::string_view name;
  std::span<const std::string_view> texts;
  bool is_names;  // rare names, which are not words of the vocabulary
};

/// Returns all lists in a fixed order.
std::span<const LexiconList> lexicon();

/// Returns the list of that name, or nullptr.
const LexiconList* find_lexicon_list(std::string_view name);

/// Returns beginnings of names, without accents.
std::span<const std::string_view> lexicon_stems();

/// Returns syllables that follow "##" in the vocabulary.
std::span<const std::string_view> lexicon_syllables();

}  // namespace normproof::ref::data
