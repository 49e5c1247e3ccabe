#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/cli/parser.hpp"

namespace normproof::tests::verification::cli {

namespace tool = normproof::verification::cli;
using Arguments = std::vector<std::string>;

/// Returns a group of commands for tests, without options.
inline tool::Command make_toy_group(std::string name, std::vector<tool::Command> subcommands) {
  return {std::move(name), "", [](CLI::App&) { return tool::Run(); }, std::move(subcommands)};
}

/// Returns a command of type T whose options are parsed from these arguments. The arguments do not
/// include the command's name.
template <class T>
T parse_command(Arguments arguments) {
  T options;
  const tool::Command alone{T::name, T::summary, [&options](CLI::App& app) {
                              options.add(app);
                              return tool::Run();
                            }};
  arguments.insert(arguments.begin(), T::name);
  tool::parse_arguments(make_toy_group("normproof", {alone}), arguments);
  return options;
}

/// Returns the report options of a command that writes the given files. Each file comes with its
/// option, such as "--json".
inline tool::ReportOptions make_report_options(
    const std::vector<std::pair<const char*, std::filesystem::path>>& files) {
  tool::ReportOptions reports;
  for (const auto& [option, file] : files) reports.file(option) = file;
  return reports;
}

/// Returns the error message with which the parser of the command T rejects these arguments.
template <class T>
std::string refusal(const Arguments& arguments) {
  std::string sentence =
      normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
          [&] { parse_command<T>(arguments); });
  return sentence.find('\n') == std::string::npos ? sentence : "of several lines: " + sentence;
}

}  // namespace normproof::tests::verification::cli
