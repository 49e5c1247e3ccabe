#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace normproof::tests::fuzz {

using Bytes = std::vector<std::byte>;

/// A reader of untrusted files, with the properties that hold for arbitrary bytes.
struct Reader {
  std::string_view name;
  /// Reads the bytes and returns whether the reader accepts them. If the reader accepts them,
  /// writes what was read and reads the written bytes again.
  /// Throws    std::logic_error if the second result differs; any exception of the reader except a
  ///           FileError
  bool (*check_file)(std::span<const std::byte> bytes);
  /// Returns valid files, made from cases of a golden corpus, and hostile files.
  std::vector<Bytes> (*seeds)(const std::filesystem::path& golden);
};

/// Returns the readers: safetensors, npz, npy, json (every file that JsonReader reads), manifest
/// and answer.
std::span<const Reader> readers();

/// Returns the reader of this name.
/// Throws    std::invalid_argument for an unknown name
const Reader& find_reader(std::string_view name);

}  // namespace normproof::tests::fuzz
