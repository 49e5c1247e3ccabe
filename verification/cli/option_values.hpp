#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli {

template <class Value>
Value parse_choice(std::string_view option, const std::string& text,
                   const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    known.push_back(name);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name(option, text, known));
}

/// Nothing where the option is not given.
std::optional<std::filesystem::path> path_of(const CLI::App& command, const std::string& option);

/// The verb that is given to a command which has verbs.
/// Throws    UsageError with the verbs there are, or the one nearest to an unknown one
const CLI::App& verb_of(const CLI::App& command);

/// A number of threads; the number of processors where the option is not given.
int thread_count(const CLI::App& command, const char* option, const std::string& text);

}  // namespace normproof::verification::cli
