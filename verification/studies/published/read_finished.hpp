#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

/// Parses results that are stored as lines; the key of a line is the name of the training run. A
/// `FinishedRun` is made of parse_cell(name) and parse_result(line, place).
/// Throws    FileError naming `file` and what is wrong, such as a result with another name
template <class FinishedRun, class ParseCell, class ParseResult>
std::map<std::string, FinishedRun> read_finished_runs(
    const std::map<std::string, std::string>& lines, const std::string& file, ParseCell parse_cell,
    ParseResult parse_result) {
  std::map<std::string, FinishedRun> results;
  for (const auto& [name, line] : lines) {
    const std::string place = fmt::format("{}: result of {}", file, name);
    try {
      FinishedRun finished{parse_cell(name), parse_result(line, place)};
      if (finished.result.name != name)
        ref::io::file_failure(file, fmt::format("result of {}", name),
                              fmt::format("says that it is of {}", finished.result.name),
                              "the same name");
      results.emplace(name, std::move(finished));
    } catch (const ref::numeric::UsageError& error) {
      throw ref::numeric::FileError(fmt::format("{}: {}", file, error.what()));
    }
  }
  return results;
}

}  // namespace normproof::verification::studies::published
