#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "verification/checks/regression/recording.hpp"

namespace normproof::verification::checks::regression {

/// A history: a file of JSON lines, one a recording, and beside it the folder <file>.answers, whose
/// files have the SHA-256 of what they hold as their names (docs/guide/formats.md). What two recordings
/// share is stored once.
class History {
 public:
  /// Opens no file.
  explicit History(std::filesystem::path file);

  /// The recordings in their order, none where there is no file.
  /// Throws    FileError naming the file and the line: empty, a line that is cut off or altered, a
  ///           label twice
  std::vector<Recording> read() const;

  /// Keeps an answer, unless it is there.
  /// Throws    FileError
  void keep(const std::string& sha256, const std::vector<StoredTensor>& answer) const;

  /// Adds a line: the file is replaced wholly or not at all, after what the line names is there.
  /// Several processes may do so at once: each waits for the others.
  /// Requires  the answers are kept
  /// Returns   the number of the line
  /// Throws    UsageError where another line has the label by now; FileError; then the file is as
  ///           it was
  std::size_t append(Recording recording, const std::vector<RecordedCase>& cases) const;

  /// Throws    FileError naming the file: absent, or its content has another SHA-256
  std::vector<RecordedCase> cases_of(const Recording& recording) const;
  std::vector<StoredTensor> answer(const std::string& sha256) const;

 private:
  void make_folder() const;

  std::filesystem::path file_, folder_;
};

/// Throws    UsageError where one of the recordings has the label
void check_label(const std::vector<Recording>& recordings, const std::string& label);

/// The place of a recording by its label, or by its line as "@3".
/// Throws    UsageError with the nearest known name
std::size_t place_of(const std::vector<Recording>& recordings, std::string_view option,
                     const std::string& name);

/// "'v2'", or "@3" where it has no label.
std::string name_of(const std::vector<Recording>& recordings, std::size_t place);

}  // namespace normproof::verification::checks::regression
