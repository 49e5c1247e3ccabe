#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/regression/recording.hpp"

namespace normproof::verification::checks::regression {

/// A history of recordings: a file of JSON lines, one per recording, and the folder <file>.answers
/// next to it. The folder holds the outputs in files named by the SHA-256 of their content
/// (docs/guide/formats.md). Outputs that several recordings share are stored once.
class History {
 public:
  /// Only stores the path; does not open the file.
  explicit History(std::filesystem::path file);

  /// Returns the recordings in order; none if the file does not exist.
  /// Throws    FileError naming the file and the line, if the file is empty, if a line is cut off
  ///           or altered, or if a label occurs twice
  std::vector<Recording> read() const;

  /// Stores the outputs of a case under their SHA-256, unless they are already stored.
  /// Throws    FileError
  void keep(const std::string& sha256, const std::vector<StoredTensor>& answer) const;

  /// Adds a recording to the file. The file is either replaced completely or not changed. All
  /// outputs and results that the new line names are stored before the line. Several processes may
  /// add recordings concurrently; each waits for the others.
  /// Requires  the outputs of the cases are stored
  /// Returns   the number of the new line
  /// Throws    UsageError if another line already has the label; FileError; then the file is
  ///           unchanged
  std::size_t append(Recording recording, const std::vector<RecordedCase>& cases) const;

  /// Returns the cases of a recording.
  /// Throws    FileError naming the file that is absent or whose content has another SHA-256
  std::vector<RecordedCase> read_cases(const Recording& recording) const;
  std::vector<StoredTensor> answer(const std::string& sha256) const;

 private:
  void make_folder() const;

  std::filesystem::path file_, folder_;
};

/// Checks that a label is new.
/// Throws    UsageError if one of the recordings has the label
void check_label(const std::vector<Recording>& recordings, const std::string& label);

/// Returns the index of a recording. `name` is its label, or "@" and its line, such as "@3".
/// Throws    UsageError that suggests the nearest known name
std::size_t find_recording(const std::vector<Recording>& recordings, std::string_view option,
                           const std::string& name);

/// Returns the name of a recording for messages: its label, such as "'v2'", or its line, such as
/// "@3".
std::string name_of(const std::vector<Recording>& recordings, std::size_t place);

}  // namespace normproof::verification::checks::regression
