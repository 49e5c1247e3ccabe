#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace normproof::verification::cli {

struct RegressRecordCommand {
  std::filesystem::path golden = {}, history = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh; without both this program answers
  double timeout = 60;                   ///< seconds that it may take for one answer
  std::string label = {};
  std::string only = "*";
  int jobs = 1;
};

struct RegressCompareCommand {
  std::filesystem::path history = {};
  std::optional<std::string> from = {}, to = {};  ///< absent: the last but one, and the last
  bool allow_towards = false;
  std::optional<std::filesystem::path> html = {}, json = {}, junit = {};
};

/// Asks a candidate for every case and adds a line to the history.
/// Returns   true where every case was answered
/// Throws    UsageError, FileError; also where no case was answered: then nothing is added
bool regress_record(const RegressRecordCommand& command);

/// Prints what moved between two recordings, by how much, and whether towards the truth.
/// Returns   true where nothing moved that is not allowed to
/// Throws    UsageError, FileError
bool regress_compare(const RegressCompareCommand& command);

}  // namespace normproof::verification::cli
