#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace normproof::tests::meta {

/// A small repository in a temporary folder with injected faults for a checker to find. It is
/// removed at the end of the scope.
class TemporaryTree {
 public:
  explicit TemporaryTree(const std::map<std::string, std::string>& files) {
    std::string pattern = (std::filesystem::temp_directory_path() / "normproof_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    for (const auto& [path, text] : files) {
      std::filesystem::create_directories((root_ / path).parent_path());
      std::ofstream(root_ / path) << text;
    }
  }
  ~TemporaryTree() { std::filesystem::remove_all(root_); }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace normproof::tests::meta
