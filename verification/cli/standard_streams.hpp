#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace normproof::verification::cli {

/// Reads standard input to its end and returns it.
/// Throws    FileError with the reason if it cannot be read (closed, or a folder)
std::string read_stdin();

/// Writes all bytes to a file descriptor, without buffering. `name` is the file's name in errors.
/// Throws    FileError with `name` and the reason (a full disk, a closed pipe)
void write_all(int descriptor, std::string_view name, std::string_view bytes);

/// Writes all bytes to standard output, without buffering.
void write_stdout(std::string_view bytes);

/// Writes the bytes to standard error. Failures are ignored.
void write_stderr(std::string_view bytes) noexcept;

/// Text that a command prints on standard output while it works. If printing fails, the command
/// continues, so that its files are written nevertheless.
class StreamedText {
 public:
  /// Prints the text, unless an earlier text could not be printed.
  void print(std::string_view text) noexcept;

  /// Reports an earlier failure to print.
  /// Throws    FileError if a text could not be printed
  void rethrow_failure() const;

 private:
  std::exception_ptr failure_;
};

bool is_terminal(int descriptor);

/// Returns the number of columns of the terminal behind this descriptor. If the descriptor is not a
/// terminal, returns the argument `otherwise`.
std::size_t terminal_width(int descriptor, std::size_t otherwise);

/// Ignores SIGPIPE from now on. Then a write to a closed pipe fails with an error and does not end
/// the process.
void ignore_closed_pipes();

/// Ignores SIGXFSZ from now on. Then a write beyond the file size limit (ulimit -f) fails with an
/// error, like a write to a full disk, and does not end the process.
void ignore_file_size_limit();

}  // namespace normproof::verification::cli
