#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// Quotes the text as one word for the shell sh. The result has no line ends and only printable
/// text. A line end at the end of the text is lost.
std::string shell_word(const std::string& text);

/// Compares two CLI::App objects that have the same options. Returns, as shell code, the options of
/// the first object whose values differ from the values in the second.
std::string differing_options(const std::function<void(CLI::App&)>& add,
                              const std::function<void(CLI::App&)>& add_usual_options);

/// Returns the command line that runs a command with these options.
///
/// Computes  "normproof <words> --option value ..."; options that have their default are left out
template <class T>
std::string shell_line(const std::string& words, T command) {
  T usual;
  return "normproof " + words +
         differing_options([&](CLI::App& app) { command.add(app); },
                           [&](CLI::App& app) { usual.add(app); });
}

}  // namespace normproof::verification::cli
