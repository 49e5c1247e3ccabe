#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// A C++ or CUDA file: its path from the root of the repository and its "..." includes.
struct SourceFile {
  std::string path;
  std::vector<std::string> includes;

  /// Returns "ref/norm" for ref/norm/layer_norm.cpp.
  std::string folder() const;
  /// Returns "ref/norm/layer_norm" for ref/norm/layer_norm.cpp.
  std::string stem() const;
  bool is_header() const;
};

/// Reads the sources below ref, gpu, verification and tests, sorted by path. The consumer project
/// of the install test is left out.
/// Throws    std::runtime_error if no source is found, since such a check would prove nothing
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

/// Reads a whole file.
/// Throws    std::runtime_error if it cannot be read
std::string read_text(const std::filesystem::path& file);

/// Returns the lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// Returns the words of a line.
std::vector<std::string> words_of(const std::string& line);

/// Returns the sentences, one per line; "" if there is none.
std::string joined(const std::vector<std::string>& sentences);

}  // namespace normproof::tests::meta
