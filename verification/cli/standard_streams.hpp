#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace normproof::verification::cli {

/// Computes  everything that standard input holds, up to its end
/// Throws    FileError naming the reason where it cannot be read (a closed one, a folder)
std::string read_stdin();

/// Writes all bytes to a file descriptor; nothing stays in a buffer.
/// Throws    FileError naming `name` and the reason (a full disk, a closed pipe)
void write_all(int descriptor, std::string_view name, std::string_view bytes);

/// The same for standard output.
void write_stdout(std::string_view bytes);

/// Writes what it can to standard error; a message that cannot be written is lost.
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

/// Columns of the terminal on this descriptor; `otherwise` where it is none.
std::size_t terminal_width(int descriptor, std::size_t otherwise);

/// From here on a closed pipe is an error of the write, not the end of the process.
void ignore_closed_pipes();

/// From here on a file that would become longer than the limit (ulimit -f) is an error of the write
/// too, as a full disk is.
void ignore_file_size_limit();

}  // namespace normproof::verification::cli
