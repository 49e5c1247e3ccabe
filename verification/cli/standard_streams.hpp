#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace normproof::verification::cli {

/// Reads standard input to its end.
/// Throws    FileError with the reason if it cannot be read (closed, or a folder)
std::string read_stdin();

/// Writes all bytes to a file descriptor, without a buffer.
/// Throws    FileError with `name` and the reason (a full disk, a closed pipe)
void write_all(int descriptor, std::string_view name, std::string_view bytes);

/// Writes all bytes to standard output.
void write_stdout(std::string_view bytes);

/// Writes to standard error and ignores failures.
void write_stderr(std::string_view bytes) noexcept;

/// Text that goes to standard output while a command works. A failure to print stops nothing, so
/// that the files are still written.
class StreamedText {
 public:
  /// Prints the text, unless printing has failed before.
  void print(std::string_view text) noexcept;

  /// Throws    FileError if something could not be printed
  void rethrow_failure() const;

 private:
  std::exception_ptr failure_;
};

bool is_terminal(int descriptor);

/// Returns the columns of the terminal on this descriptor, or `otherwise` if it is not a terminal.
std::size_t terminal_width(int descriptor, std::size_t otherwise);

/// Makes writing to a closed pipe an error instead of ending the process, from now on.
void ignore_closed_pipes();

/// Makes exceeding the file size limit (ulimit -f) an error of the write, as a full disk is, from
/// now on.
void ignore_file_size_limit();

}  // namespace normproof::verification::cli
