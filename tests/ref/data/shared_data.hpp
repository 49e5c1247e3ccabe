#pragma once

#include <cstdlib>
#include <filesystem>

namespace normproof::tests::ref::data {

/// The folder of the real data, which the repository does not hold: $NORMPROOF_SHARED_DATA, or else
/// ../shared/data beside the repository.
inline std::filesystem::path shared_data() {
  const char* const folder = std::getenv("NORMPROOF_SHARED_DATA");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(NORMPROOF_SOURCE_DIR) / "../shared/data";
}

/// True if the folder holds the file; a test skips with that reason where it does not.
inline bool has_shared_data(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(shared_data() / file);
}

}  // namespace normproof::tests::ref::data
