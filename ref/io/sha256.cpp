#include "ref/io/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace normproof::ref::io {

std::string sha256(std::span<const std::byte> bytes) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHexDigits[digest[i] >> 4];
    text += kHexDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace normproof::ref::io
