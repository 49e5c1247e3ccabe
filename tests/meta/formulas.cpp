#include "tests/meta/formulas.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace normproof::tests::meta {
namespace {

constexpr std::string_view kLayers = "ref/norm/";

bool is_formula(const std::string& path) {
  return path.starts_with(kLayers) && path.ends_with("_formula.hpp");
}

std::set<std::string> sources_with_a_contract(const std::vector<SourceFile>& files) {
  std::set<std::string> headers, sources;
  for (const SourceFile& file : files)
    if (file.is_header()) headers.insert(file.stem());
  for (const SourceFile& file : files)
    if (!file.is_header() && headers.contains(file.stem())) sources.insert(file.path);
  return sources;
}

}  // namespace

std::vector<std::string> speed_in_formulas(const std::filesystem::path& root,
                                           const std::vector<SourceFile>& files) {
  static const std::regex speed(
      R"(prefetch|\bstream|fence|nontemporal|use_streaming_stores|_mm\d*_|__builtin_ia32|\basm\b|#\s*pragma\s+(GCC|omp))");
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with(kLayers)) continue;
    const auto lines = lines_of(read_text(root / file.path));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(lines[i], match, speed))
        found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + match.str() +
                        "; expected in a traversal of ref/ops");
    }
  }
  return found;
}

std::vector<std::string> scattered_formulas(const std::filesystem::path& root,
                                            const std::vector<SourceFile>& files) {
  static const std::regex standard(R"(^\s*#\s*include\s*<[^>]+>.*)");
  const auto sources = sources_with_a_contract(files);
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (!is_formula(file.path)) continue;
    const auto includes_it = [&](const SourceFile& other) {
      return sources.contains(other.path) && other.stem() != "ref/norm/double_kernels" &&
             std::ranges::count(other.includes, file.path) > 0;
    };
    if (std::ranges::none_of(files, includes_it))
      found.push_back(file.path + ": no source of a layer includes it; expected one");
    for (const std::string& include : file.includes) {
      if (!include.starts_with(kLayers)) continue;
      const auto names_both = [&](const SourceFile& other) {
        return !includes_it(other) || std::ranges::count(other.includes, include) > 0;
      };
      if (!is_formula(include) || !std::ranges::all_of(files, names_both))
        found.push_back(file.path + ": goes on in " + include + "; expected all of it here");
    }
    for (const std::string& line : lines_of(read_text(root / file.path)))
      if (std::regex_match(line, standard))
        found.push_back(
            file.path + ": " + line +
            "; expected nothing of the standard library (docs/specification/determinism.md)");
  }
  return found;
}

}  // namespace normproof::tests::meta
