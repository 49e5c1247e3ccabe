#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/regression/recording.hpp"

namespace normproof::verification::checks::regression {

/// A history: a file of JSON lines, one per recording, and next to it the folder <file>.answers,
/// whose files are named by the SHA-256 of their content (docs/guide/formats.md). Data that
/// recordings share are stored once.
class History {
 public:
  /// Does not open the file.
  explicit History(std::filesystem::path file);

  /// Returns the recordings in order; none if there is no file.
  /// Throws    FileError naming the file and the line: the file is empty, a line is cut off or
  ///           altered, a label occurs twice
  std::vector<Recording> read() const;

  /// Stores an output unless it is already stored.
  /// Throws    FileError
  void keep(const std::string& sha256, const std::vector<StoredTensor>& answer) const;

  /// Adds a line. The file is replaced completely or not at all, after everything that the line
  /// names has been stored. Several processes may do this concurrently; each waits for the others.
  /// Requires  the outputs are stored
  /// Returns   the number of the line
  /// Throws    UsageError if another line already has the label; FileError; then the file is
  ///           unchanged
  std::size_t append(Recording recording, const std::vector<RecordedCase>& cases) const;

  /// Throws    FileError naming the file: it is absent, or its content has another SHA-256
  std::vector<RecordedCase> read_cases(const Recording& recording) const;
  std::vector<StoredTensor> answer(const std::string& sha256) const;

 private:
  void make_folder() const;

  std::filesystem::path file_, folder_;
};

/// Throws    UsageError if one of the recordings has the label
void check_label(const std::vector<Recording>& recordings, const std::string& label);

/// Returns the index of a recording given by its label, or by its line, such as "@3".
/// Throws    UsageError that suggests the nearest known name
std::size_t place_of(const std::vector<Recording>& recordings, std::string_view option,
                     const std::string& name);

/// Returns "'v2'", or "@3" if the recording has no label.
std::string name_of(const std::vector<Recording>& recordings, std::size_t place);

}  // namespace normproof::verification::checks::regression
