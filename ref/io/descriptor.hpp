#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// Owns a file descriptor, for an open file, a folder or an end of a pipe. The destructor closes
/// it.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of the descriptor `number`. A negative number, the result of a failed call,
  /// means that no descriptor is open.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }
  /// Closes the descriptor before the destructor does. Returns 0, or -1 with the reason in errno.
  int close();

 private:
  int number_ = -1;
};

/// Calls a system function. If a signal interrupts the call, calls the function again. Returns the
/// result of the last call.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Writes all bytes, in as many system calls as needed. Returns 0, or the error number of the call
/// that failed.
int write_all(int descriptor, std::span<const std::byte> bytes);
int write_all(int descriptor, std::string_view text);

/// Reads once and appends the bytes to `bytes`. Returns their number, 0 at the end of the file, or
/// -1 with the reason in errno.
std::ptrdiff_t read_once(int descriptor, std::string& bytes);

}  // namespace normproof::ref::io
