#include "verification/cli/shell_line.hpp"

#include <CLI/CLI.hpp>

namespace normproof::verification::cli {

std::string shell_word(const std::string& text) {
  if (!text.empty() &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:") ==
          std::string::npos)
    return text;
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
                              const std::function<void(CLI::App&)>& add_usual) {
  CLI::App given, usual;
  add(given);
  add_usual(usual);
  // The present value, as the words of a shell: options.cpp binds each option to it.
  const auto words_of = [](CLI::Option* option) {
    return option->capture_default_str()->get_default_str();
  };
  std::string line;
  for (CLI::Option* const option : given.get_options([](const CLI::Option*) { return true; })) {
    const std::string words = words_of(option);
    if (words.empty() || words == words_of(usual.get_option(option->get_name()))) continue;
    if (!option->get_positional()) line += " " + option->get_name();
    if (option->get_items_expected_max() > 0) line += " " + words;
  }
  return line;
}

}  // namespace normproof::verification::cli
