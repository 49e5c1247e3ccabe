#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace normproof::tests::fuzz {

using Bytes = std::vector<std::byte>;

/// A reader of what others write, and what holds for any bytes at all.
struct Reader {
  std::string_view name;
  /// Reads the bytes; where they are taken, writes what was read and reads that again. Whether they
  /// were.
  /// Throws    std::logic_error where it is not the same; anything but a FileError that the reader
  ///           throws
  bool (*hold)(std::span<const std::byte> bytes);
  /// Files that are taken, made of cases of a golden corpus, and hostile ones.
  std::vector<Bytes> (*seeds)(const std::filesystem::path& golden);
};

/// safetensors, npz, npy, json (any file of JsonReader), manifest and answer.
std::span<const Reader> readers();

/// Throws    std::invalid_argument for an unknown name
const Reader& reader_of(std::string_view name);

}  // namespace normproof::tests::fuzz
