#pragma once

#include <cstdlib>
#include <filesystem>

namespace normproof::tests::ref::data {

/// Returns the folder with the published data sets, which are not part of the repository. It is
/// $NORMPROOF_SHARED_DATA, or the folder shared/data next to the repository if the variable is not
/// set.
inline std::filesystem::path find_shared_data_folder() {
  const char* const folder = std::getenv("NORMPROOF_SHARED_DATA");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(NORMPROOF_SOURCE_DIR) / "../shared/data";
}

/// Whether the folder of the published data sets contains the file. Tests skip if it does not.
inline bool shared_data_exists(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(find_shared_data_folder() / file);
}

}  // namespace normproof::tests::ref::data
