#pragma once

#include <span>
#include <string_view>

#include "verification/golden/mutations/mutation.hpp"

/// The names of the mistakes whose site and operator alone do not say what is wrong.
namespace normproof::verification::golden::mutations {

/// The words for an operator at a site. A site that ends in '*' stands for all sites that begin
/// with the text before it; then "{}" in the words is the rest of the site. Otherwise "{}" is the
/// site.
struct MistakeWords {
  std::string_view site;
  MutationOperator op;
  std::string_view text;
};

/// An operator, and the number that it contains.
struct NumberInOperator {
  MutationOperator op;
  int number;
};
/// The words for a family of operators at a site. The last "{}" in the words is the number of the
/// operator.
struct NumberedMistakeWords {
  std::string_view site;
  std::span<const NumberInOperator> operators;
  std::string_view text;
};

std::span<const MistakeWords> mistake_words();
std::span<const NumberedMistakeWords> numbered_mistake_words();

}  // namespace normproof::verification::golden::mutations
