#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// The text as one word for sh, without line ends and bytes that are no text. What ends with a line
/// end loses it.
std::string shell_word(const std::string& text);

/// The options of one app that are not what they are in another, which has the same ones.
std::string differing_options(const std::function<void(CLI::App&)>& add,
                              const std::function<void(CLI::App&)>& add_usual);

/// Computes  "normproof <words> --option value ...": the line for a shell that gives a command
///           these options; those that have their defaults are left out
template <class T>
std::string shell_line(const std::string& words, T command) {
  T usual;
  return "normproof " + words +
         differing_options([&](CLI::App& app) { command.add(app); },
                           [&](CLI::App& app) { usual.add(app); });
}

}  // namespace normproof::verification::cli
