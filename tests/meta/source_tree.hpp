#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// A C++ or CUDA file: its path from the root of the repository and what it includes by "...".
struct SourceFile {
  std::string path;
  std::vector<std::string> includes;

  /// "ref/norm" for ref/norm/layer_norm.cpp
  std::string folder() const;
  /// "ref/norm/layer_norm" for ref/norm/layer_norm.cpp
  std::string stem() const;
  bool is_header() const;
};

/// The sources below ref, gpu, verification and tests, sorted by path; the consumer project of the
/// install test is not part of the house and is left out.
/// Throws    std::runtime_error where no source is found: a check of nothing proves nothing
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

/// The whole file.
/// Throws    std::runtime_error where it cannot be read
std::string read_text(const std::filesystem::path& file);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// The words of a line.
std::vector<std::string> words_of(const std::string& line);

/// One line for each of the sentences: "" where there is none.
std::string joined(const std::vector<std::string>& sentences);

}  // namespace normproof::tests::meta
