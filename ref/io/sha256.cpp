#include "ref/io/sha256.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace normproof::ref::io {

std::string sha256(std::span<const std::byte> bytes) {
  return sha256(std::span(&bytes, 1));
}

std::string sha256(std::span<const std::span<const std::byte>> parts) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  bool is_available =
      context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::span<const std::byte> part : parts)
    is_available = is_available && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  if (!is_available || EVP_DigestFinal_ex(context.get(), digest, &size) != 1)
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
