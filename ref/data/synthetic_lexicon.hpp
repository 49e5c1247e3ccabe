#pragma once

#include <span>
#include <string_view>

namespace normproof::ref::data {

/// A named list of texts from which the synthetic corpus is composed. "{name}" in a text stands for
/// an element of the list with that name, or for a number that synthetic.cpp generates.
struct LexiconList {
  std::string_view name;
  std::span<const std::string_view> texts;
  bool is_names;  // whether the texts are rare names, which the vocabulary lacks
};

/// Returns all lists of texts in a fixed order.
std::span<const LexiconList> lexicon();

/// Returns the list with the name `name`, or nullptr if there is none.
const LexiconList* find_lexicon_list(std::string_view name);

/// Returns the beginnings of names that are tokens of the vocabulary. These tokens have no accents.
std::span<const std::string_view> lexicon_stems();

/// Returns the syllables that follow "##" in the vocabulary.
std::span<const std::string_view> lexicon_syllables();

}  // namespace normproof::ref::data
