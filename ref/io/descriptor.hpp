#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// Owns a file descriptor of the system, for an open file, folder or pipe end, and closes it at the
/// end of the scope.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of `number`. A negative number, the result of a failed call, counts as not
  /// open.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }
  /// Closes the descriptor now. Returns 0, or -1 with the reason in errno.
  int close();

 private:
  int number_ = -1;
};

/// Returns the result of a system call, repeated while a signal interrupts it.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Writes all bytes, in as many calls as needed. Returns 0, or the error number of the first call
/// that failed.
int write_all(int descriptor, std::span<const std::byte> bytes);
int write_all(int descriptor, std::string_view text);

/// Appends the result of one read. Returns the number of bytes, 0 at the end, or -1 with the reason
/// in errno.
std::ptrdiff_t read_some(int descriptor, std::string& bytes);

}  // namespace normproof::ref::io
