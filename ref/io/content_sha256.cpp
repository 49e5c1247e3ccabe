#include "ref/io/content_sha256.hpp"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ref/io/sha256.hpp"

namespace normproof::ref::io {

std::string content_sha256(const std::vector<StoredTensor>& tensors) {
  const std::vector<const StoredTensor*> sorted = sorted_by_name("content_sha256", tensors);
  std::vector<std::string> lines;
  lines.reserve(sorted.size());
  for (const StoredTensor* tensor : sorted)
    lines.push_back(fmt::format("{} {} [{}]\n", tensor->name, to_string(tensor->dtype),
                                fmt::join(tensor->shape, ",")));
  std::vector<std::span<const std::byte>> parts;
  parts.reserve(2 * sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    parts.push_back(std::as_bytes(std::span(lines[i])));
    parts.emplace_back(sorted[i]->bytes);
  }
  return sha256(parts);
}

}  // namespace normproof::ref::io
