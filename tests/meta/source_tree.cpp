#include "tests/meta/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace normproof::tests::meta {

namespace fs = std::filesystem;

std::string SourceFile::folder() const {
  return fs::path(path).parent_path().generic_string();
}

std::string SourceFile::stem() const {
  return fs::path(path).replace_extension().generic_string();
}

bool SourceFile::is_header() const {
  return fs::path(path).extension() == ".hpp";
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": cannot be read; expected a text file");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string lines;
  for (const std::string& sentence : sentences) lines += "\n" + sentence;
  return lines;
}

std::vector<SourceFile> read_source_tree(const fs::path& root) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  std::vector<SourceFile> files;
  for (const char* top : {"ref", "gpu", "verification", "tests"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".cu") continue;
      SourceFile file{entry.path().lexically_relative(root).generic_string(), {}};
      if (file.path.starts_with("tests/meta/consumer/")) continue;
      for (const std::string& line : lines_of(read_text(entry.path()))) {
        std::smatch match;
        if (std::regex_match(line, match, include)) file.includes.push_back(match[1]);
      }
      files.push_back(std::move(file));
    }
  }
  if (files.empty()) throw std::runtime_error(root.string() + ": no source file; expected some");
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace normproof::tests::meta
