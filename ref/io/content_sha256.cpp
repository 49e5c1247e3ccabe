#include "ref/io/content_sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ref/io/sha256.hpp"

namespace normproof::ref::io {

std::string content_sha256(const std::vector<StoredTensor>& tensors) {
  std::string text;
  for (const StoredTensor* tensor : sorted_by_name("content_sha256", tensors)) {
    text += fmt::format("{} {} [{}]\n", tensor->name, to_string(tensor->dtype),
                        fmt::join(tensor->shape, ","));
    text.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  return sha256(text);
}

}  // namespace normproof::ref::io
