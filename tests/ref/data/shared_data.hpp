#pragma once

#include <cstdlib>
#include <filesystem>

namespace normproof::tests::ref::data {

/// Returns the folder of the real data, which is not part of the repository:
/// $NORMPROOF_SHARED_DATA, or else ../shared/data next to the repository.
inline std::filesystem::path shared_data() {
  const char* const folder = std::getenv("NORMPROOF_SHARED_DATA");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(NORMPROOF_SOURCE_DIR) / "../shared/data";
}

/// Whether the folder has the file. A test is skipped, with this reason, if it does not.
inline bool has_shared_data(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(shared_data() / file);
}

}  // namespace normproof::tests::ref::data
