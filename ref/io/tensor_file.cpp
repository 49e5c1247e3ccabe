#include "ref/io/tensor_file.hpp"

#include <fmt/format.h>

#include <string>

#include "ref/io/atomic_file.hpp"
#include "ref/io/npz.hpp"
#include "ref/io/safetensors.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

enum class Format { npz, safetensors };

Format parse_suffix(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".npz") return Format::npz;
  if (suffix == ".safetensors") return Format::safetensors;
  throw numeric::UsageError(
      fmt::format("the tensor file '{}' has the suffix '{}'; expected .npz or .safetensors",
                  path.string(), suffix));
}

}  // namespace

void check_tensor_file(const std::filesystem::path& path) {
  parse_suffix(path);
}

std::vector<StoredTensor> read_tensors(const std::filesystem::path& path, std::size_t max_bytes) {
  const Format format = parse_suffix(path);
  const std::vector<std::byte> bytes =
      read_file(path, {.regular_files_only = true, .max_bytes = max_bytes});
  return format == Format::npz ? decode_npz(bytes, path.string(), max_bytes)
                               : decode_safetensors(bytes, path.string());
}

void write_tensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors) {
  write_file(path,
             parse_suffix(path) == Format::npz ? encode_npz(tensors) : encode_safetensors(tensors));
}

}  // namespace normproof::ref::io
