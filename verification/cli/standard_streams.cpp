#include "verification/cli/standard_streams.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "ref/io/descriptor.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::cli {

std::string read_stdin() {
  std::string bytes;
  for (;;) {
    const std::ptrdiff_t count = ref::io::read_once(STDIN_FILENO, bytes);
    if (count < 0) {
      throw ref::numeric::FileError(fmt::format("standard input cannot be read ({})",
                                                std::generic_category().message(errno)));
    }
    if (count == 0) return bytes;
  }
}

void write_all(int descriptor, std::string_view name, std::string_view bytes) {
  if (const int error = ref::io::write_all(descriptor, bytes))
    throw ref::numeric::FileError(
        fmt::format("{} cannot be written ({})", name, std::generic_category().message(error)));
}

void write_stdout(std::string_view bytes) {
  write_all(STDOUT_FILENO, "standard output", bytes);
}

void write_stderr(std::string_view bytes) noexcept {
  try {
    write_all(STDERR_FILENO, "standard error", bytes);
  } catch (...) {
    return;
  }
}

void StreamedText::print(std::string_view text) noexcept {
  if (failure_) return;
  try {
    write_stdout(text);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void StreamedText::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

std::size_t terminal_width(int descriptor, std::size_t otherwise) {
  winsize size{};
  if (!is_terminal(descriptor) || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return otherwise;
  return size.ws_col;
}

void ignore_closed_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

void ignore_file_size_limit() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace normproof::verification::cli
