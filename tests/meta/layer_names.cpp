#include "tests/meta/layer_names.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {

namespace fs = std::filesystem;

namespace {

/// Whether the file is C++, CUDA, Python, or a script without an extension.
bool is_source(const fs::path& file) {
  static const std::set<std::string> known = {"", ".hpp", ".cpp", ".cu", ".cuh", ".py"};
  return known.contains(file.extension().string());
}

/// Returns a pattern of comparisons with one of the names: == and != on either side, Python's `in`,
/// starts_with.
std::regex comparison_with(const std::vector<std::string>& names) {
  std::string any;
  for (const std::string& name : names) any += (any.empty() ? "" : "|") + name;
  const std::string name = "\"(" + any + ")\"";
  return std::regex("[=!]=\\s*" + name + "|" + name + "\\s*[=!]=|\\bin [(\\[{][^)\\]}:]*" + name +
                    "|(starts_with|ends_with|startswith|endswith)\\(\"(" + any + ")");
}

}  // namespace

std::vector<std::string> layer_names(const fs::path& root) {
  const std::string text = read_text(root / "ref/model/norm_layers.cpp");
  static const std::regex name_field(R"re(\.name = "([a-z_0-9]+)")re");
  std::vector<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), name_field), end; match != end; ++match)
    if ((*match)[1] != "none") names.push_back((*match)[1]);
  if (names.empty()) throw std::runtime_error("norm_layers.cpp names no layer; expected some");
  return names;
}

std::vector<std::string> compared_layer_names(const fs::path& root) {
  const std::vector<std::string> names = layer_names(root);
  const std::regex comparison = comparison_with(names);
  // Searches for the names first, since a regular expression is slow.
  const auto has_name = [&](const std::string& line) {
    return std::ranges::any_of(
        names, [&](const std::string& name) { return line.find('"' + name) != std::string::npos; });
  };
  std::vector<std::string> sentences;
  for (const char* top : {"ref", "gpu", "verification"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::size_t number = 0;
      for (const std::string& line : lines_of(read_text(entry.path()))) {
        ++number;
        if (has_name(line) && std::regex_search(line, comparison))
          sentences.push_back(entry.path().lexically_relative(root).generic_string() + ":" +
                              std::to_string(number) +
                              ": compares the name of a layer as text; expected a trait of "
                              "ref/model/norm_layers.hpp, or the type of its options");
      }
    }
  }
  std::ranges::sort(sentences);
  return sentences;
}

}  // namespace normproof::tests::meta
