#include "tests/meta/registration.hpp"

#include <algorithm>
#include <map>
#include <regex>

namespace normproof::tests::meta {

namespace fs = std::filesystem;

std::vector<std::string> unregistered_sources(const fs::path& root,
                                              const std::vector<SourceFile>& files) {
  static const std::regex separators(R"([\s()]+)");
  std::map<std::string, std::set<std::string>> named;
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    const std::string folder = file.folder();
    if (!named.contains(folder)) {
      auto& words = named[folder];
      const fs::path lists = root / folder / "CMakeLists.txt";
      if (fs::exists(lists)) {
        for (std::string line : lines_of(read_text(lists))) {
          line = line.substr(0, line.find('#'));
          std::sregex_token_iterator it(line.begin(), line.end(), separators, -1), end;
          words.insert(it, end);
        }
      }
    }
    if (file.is_header() && !named[folder].contains("normproof_library")) continue;
    const std::string name = fs::path(file.path).filename().string();
    if (!named[folder].contains(name)) {
      found.push_back(file.path + ": not named in " + folder + "/CMakeLists.txt");
    }
  }
  return found;
}

std::vector<std::string> unmirrored_sources(const std::vector<SourceFile>& files,
                                            const std::string& exceptions) {
  std::set<std::string> sources;
  std::set<std::string> tests;
  for (const SourceFile& file : files) {
    if (file.path.starts_with("tests/")) tests.insert(file.stem());
    for (const char* top : {"ref/", "gpu/", "verification/"})
      if (file.path.starts_with(top)) sources.insert(file.stem());
  }
  std::vector<std::string> found;
  std::set<std::string> explained;
  bool has_reason = false;
  for (const std::string& line : lines_of(exceptions)) {
    const auto words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    if (words[0] == "because") {
      has_reason = words.size() > 2;
      continue;
    }
    for (const std::string& source : words) {
      explained.insert(source);
      if (!has_reason) found.push_back(source + ": its exception gives no reason");
      if (!sources.contains(source)) found.push_back(source + ": excepted, but there is none");
      if (tests.contains("tests/" + source + "_test")) {
        found.push_back(source + ": excepted, but it has a test");
      }
    }
  }
  for (const std::string& source : sources) {
    const std::string test = "tests/" + source + "_test";
    if (!tests.contains(test) && !explained.contains(source)) {
      found.push_back(source + ": expected " + test + ".cpp, or a line with the reason in " +
                      "tests/meta/unmirrored.txt");
    }
  }
  return found;
}

std::vector<std::string> foreign_top_level_entries(const fs::path& root) {
  std::set<std::string> known{"ref",    "gpu",       "verification",   "tests",
                              "docs",   "README.md", "CMakeLists.txt", "CMakePresets.json",
                              "LICENSE"};
  if (fs::exists(root / ".gitignore")) {
    for (std::string line : lines_of(read_text(root / ".gitignore"))) {
      std::erase(line, '/');
      known.insert(line);
    }
  }
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(".") && !known.contains(name)) {
      found.push_back(name + ": not an entry of the house (docs/architecture.md)");
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace normproof::tests::meta
