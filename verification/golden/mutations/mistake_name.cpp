#include "verification/golden/mutations/mistake_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "verification/golden/mutations/mistake_words.hpp"

namespace normproof::verification::golden::mutations {

namespace {

/// Returns the text that replaces "{}" in the words of `pattern`; nothing if the site does not
/// match it.
std::optional<std::string_view> match_site(std::string_view pattern, std::string_view site) {
  if (!pattern.ends_with('*')) return pattern == site ? std::optional(site) : std::nullopt;
  const std::string_view begin = pattern.substr(0, pattern.size() - 1);
  if (!site.starts_with(begin)) return std::nullopt;
  return site.substr(begin.size());
}

std::string fill_in(std::string_view text, std::string_view part) {
  std::string filled(text);
  if (const auto at = filled.find("{}"); at != std::string::npos) filled.replace(at, 2, part);
  return filled;
}

/// Returns the words for the mutation; nothing if its site has none.
std::optional<std::string> find_words(std::string_view site, MutationOperator op) {
  // A whole site comes before a pattern that also matches it.
  for (const bool is_pattern : {false, true}) {
    for (const MistakeWords& words : mistake_words())
      if (words.op == op && words.site.ends_with('*') == is_pattern)
        if (const auto part = match_site(words.site, site)) return fill_in(words.text, *part);
    for (const NumberedMistakeWords& words : numbered_mistake_words()) {
      const auto part = match_site(words.site, site);
      const auto numbered = std::ranges::find(words.operators, op, &NumberInOperator::op);
      if (words.site.ends_with('*') != is_pattern || !part || numbered == words.operators.end())
        continue;
      std::string text(words.text);
      if (is_pattern) text = fill_in(text, *part);
      return fill_in(text, fmt::format("{}", numbered->number));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string mistake_name(const Mutation& mutation) {
  const std::string_view site = mutation.site;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    if (const auto words = find_words(site.substr(begin), mutation.op))
      return std::string(site.substr(0, begin)) + *words;
    const std::size_t colon = site.find(": ", begin);
    begin = colon == std::string_view::npos ? colon : colon + 2;
  }
  return fmt::format("{}: {}", site, to_string(mutation.op));
}

}  // namespace normproof::verification::golden::mutations
