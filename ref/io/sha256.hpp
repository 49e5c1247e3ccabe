#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace normproof::ref::io {

/// Returns the SHA-256 of the bytes as 64 lower-case hexadecimal digits, as sha256sum prints it.
///
/// Source    FIPS 180-4, by OpenSSL
/// Example   sha256(std::string_view("abc")) begins with ba7816bf and ends with f20015ad
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// Returns the SHA-256 of the parts, one after the other, without copying them.
std::string sha256(std::span<const std::span<const std::byte>> parts);

}  // namespace normproof::ref::io
