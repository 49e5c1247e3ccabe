#include "tests/meta/citations.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> keys_in_order(const std::string& bibliography) {
  static const std::regex entry(R"(@\w+\{([^,\s]+),)");
  std::vector<std::string> keys;
  for (std::sregex_iterator it(bibliography.begin(), bibliography.end(), entry), end; it != end;
       ++it)
    keys.push_back((*it)[1]);
  return keys;
}

bool may_cite(const fs::path& file) {
  static const std::set<std::string> kinds = {".hpp", ".cpp", ".cu", ".inc", ".h", ".md", ".py"};
  return kinds.contains(file.extension().string());
}

/// Maps each key to the files that cite it.
std::map<std::string, std::set<std::string>> citations_of(const fs::path& root) {
  std::map<std::string, std::set<std::string>> cited;
  const auto read = [&](const fs::path& file) {
    for (const std::string& key : cited_keys(read_text(file)))
      cited[key].insert(file.lexically_relative(root).generic_string());
  };
  if (fs::exists(root / "README.md")) read(root / "README.md");
  for (const char* top : {"ref", "gpu", "verification", "tests", "docs"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (may_cite(entry.path())) read(entry.path());
    }
  }
  return cited;
}

}  // namespace

std::set<std::string> read_keys(const std::string& bibliography) {
  const auto keys = keys_in_order(bibliography);
  return {keys.begin(), keys.end()};
}

std::set<std::string> cited_keys(const std::string& text) {
  static const std::regex list(R"([A-Z][A-Za-z]*\+?\d\d[a-z]?(, [A-Z][A-Za-z]*\+?\d\d[a-z]?)*)");
  std::set<std::string> keys;
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::string inside = text.substr(at + 1, std::min(text.find(']', at), at + 80) - at - 1);
    if (inside.empty() || inside.front() < 'A' || inside.front() > 'Z') continue;
    if (!std::regex_match(inside, list)) continue;
    std::istringstream words(inside);
    for (std::string key; words >> key;) keys.insert(key.substr(0, key.find(',')));
  }
  return keys;
}

std::vector<std::string> citation_violations(const fs::path& root) {
  const auto entries = keys_in_order(read_text(root / "docs/references.bib"));
  const auto cited = citations_of(root);
  if (cited.empty()) throw std::runtime_error(root.string() + ": cites nothing; expected keys");
  std::set<std::string> known;
  std::vector<std::string> found;
  for (const std::string& key : entries) {
    if (!known.insert(key).second) found.push_back("docs/references.bib: " + key + " twice");
    if (!cited.contains(key)) found.push_back("docs/references.bib: nothing cites " + key);
  }
  for (const auto& [key, files] : cited)
    if (!known.contains(key))
      for (const std::string& file : files)
        found.push_back(file + ": cites [" + key + "], which docs/references.bib does not have");
  return found;
}

}  // namespace normproof::tests::meta
