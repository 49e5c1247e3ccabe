#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// The two ends of a pipe. Programs that this process runs do not inherit them.
struct Pipe {
  ref::io::Descriptor reading, writing;
};

/// Creates a pipe.
/// Throws    std::system_error, beginning with `what`, if no pipe can be created
Pipe make_pipe(const std::string& what);

/// Writes once to a pipe that may have lost its reader. In that case the write fails with EPIPE and
/// this process goes on, even if it does not ignore SIGPIPE.
/// Returns   the number of bytes written, or -1 with the reason in errno
std::ptrdiff_t write_quietly(int descriptor, std::string_view text);

/// Reads a pipe line by line.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  /// Waits for the next line and returns it without its end, or nothing once the writing end is
  /// closed. A last line without its end comes from a killed process and is dropped.
  std::optional<std::string> next();

 private:
  int descriptor_;
  std::string received_;
  std::size_t searched_ = 0;  ///< number of leading bytes of received_ known to hold no line end
};

}  // namespace normproof::verification::support::process
