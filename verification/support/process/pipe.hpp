#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// The two ends of a pipe. Programs that this process executes do not inherit them.
struct Pipe {
  ref::io::Descriptor reading, writing;
};

/// Creates a pipe.
/// Throws    std::system_error, whose message begins with `what`, if no pipe can be created
Pipe make_pipe(const std::string& what);

/// Writes to a pipe with a single call of write(). If nobody reads the pipe any more, the call
/// fails with EPIPE and does not end this process, even if SIGPIPE is not ignored.
/// Returns   the number of bytes written, or -1 with the reason in errno
std::ptrdiff_t write_without_signal(int descriptor, std::string_view text);

/// Reads lines from a pipe, one after another.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  /// Waits for the next line and returns it without its line end. Returns nothing after the writing
  /// end was closed. A last line without line end was written by a killed process and is dropped.
  std::optional<std::string> next();

 private:
  int descriptor_;
  std::string received_;
  /// Number of bytes at the beginning of received_ that are known to contain no line end.
  std::size_t searched_ = 0;
};

}  // namespace normproof::verification::support::process
