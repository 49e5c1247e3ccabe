#include "verification/cli/shell_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "verification/support/report/text.hpp"

namespace normproof::verification::cli {

namespace {

constexpr const char* kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:";

/// Returns shell code that prints a word with `printf`. This is used for words with a line end or
/// with bytes that reports do not print.
std::string quote_with_printf(const std::string& text) {
  std::string format;
  for (const char c : text) {
    if (std::string_view(kPlain).find(c) != std::string_view::npos)
      format += c;
    else
      format += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return fmt::format("\"$(printf '{}')\"", format);
}

}  // namespace

std::string shell_word(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  if (support::report::clean_line(text) != text) return quote_with_printf(text);
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

std::string differing_options(const std::function<void(CLI::App&)>& add,
                              const std::function<void(CLI::App&)>& add_usual_options) {
  CLI::App given, usual;
  add(given);
  add_usual_options(usual);
  // Returns the current value of an option, quoted for a shell. options.cpp stores it in CLI11.
  const auto words_of = [](CLI::Option* option) {
    return option->capture_default_str()->get_default_str();
  };
  std::string line;
  for (CLI::Option* const option : given.get_options([](const CLI::Option*) { return true; })) {
    const std::string words = words_of(option);
    if (words.empty() || words == words_of(usual.get_option(option->get_name()))) continue;
    // If the value begins with a dash, it must be joined to the option by an equal sign.
    const std::size_t first = words.find_first_not_of("'\"");
    const bool looks_like_option = words[first] == '-' || words.starts_with("\"$(printf '-");
    if (!option->get_positional()) line += " " + option->get_name();
    if (option->get_items_expected_max() > 0)
      line += (looks_like_option && !option->get_positional() ? "=" : " ") + words;
  }
  return line;
}

}  // namespace normproof::verification::cli
