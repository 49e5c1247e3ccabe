#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// Quotes the text as one word for sh, without line ends and non-text bytes. A line end at its end
/// is lost.
std::string shell_word(const std::string& text);

/// Writes the options of one app that differ from those of another app with the same options.
std::string differing_options(const std::function<void(CLI::App&)>& add,
                              const std::function<void(CLI::App&)>& add_usual);

/// Writes the command line that gives a command these options.
///
/// Computes  "normproof <words> --option value ..."; options with their defaults are left out
template <class T>
std::string shell_line(const std::string& words, T command) {
  T usual;
  return "normproof " + words +
         differing_options([&](CLI::App& app) { command.add(app); },
                           [&](CLI::App& app) { usual.add(app); });
}

}  // namespace normproof::verification::cli
