#include "ref/io/descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace normproof::ref::io {

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

int Descriptor::close() {
  return ::close(std::exchange(number_, -1));
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        retry_interrupted([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text.data(), text.size())));
}

std::ptrdiff_t read_once(int descriptor, std::string& bytes) {
  char buffer[65536];
  const ssize_t count =
      retry_interrupted([&] { return ::read(descriptor, buffer, sizeof buffer); });
  if (count > 0) bytes.append(buffer, static_cast<std::size_t>(count));
  return count;
}

}  // namespace normproof::ref::io
