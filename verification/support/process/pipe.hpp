#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

/// The two ends of a pipe. A program run from here does not inherit them.
struct Pipe {
  ref::io::Descriptor reading, writing;
};

/// Throws    std::system_error, beginning with `what`, where no pipe can be made
Pipe make_pipe(const std::string& what);

/// One write to a pipe that may have lost its reader: that is an error, EPIPE, not the end of this
/// process, whether it ignores SIGPIPE or not.
/// Computes  the number of bytes written, or -1 with the reason in errno
std::ptrdiff_t write_quietly(int descriptor, std::string_view text);

/// What comes out of a pipe, line by line.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  /// Waits for the next line and gives it without its end; nothing once the other end is closed.
  /// A last line without its end is what a killed process left: it is passed over.
  std::optional<std::string> next();

 private:
  int descriptor_;
  std::string received_;
  std::size_t searched_ = 0;  ///< no end of a line before it
};

}  // namespace normproof::verification::support::process
