#include "tests/meta/document_paths.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

namespace fs = std::filesystem;

/// Returns the parts of a line that are code: text between backticks, or the whole line inside a
/// block.
std::vector<std::string> code_parts(const std::string& line, bool inside_block) {
  if (inside_block) return {line};
  static const std::regex span("`([^`]+)`");
  std::vector<std::string> code;
  for (std::sregex_iterator it(line.begin(), line.end(), span), end; it != end; ++it)
    code.push_back((*it)[1]);
  return code;
}

/// Returns the path of the repository in the word, or "".
std::string path_in(const std::string& word) {
  static const std::regex path(
      R"re([("']*((?:ref|gpu|verification|tests|docs)/[\w./+-]*[\w+-])/?[)"',.;:]*)re");
  std::smatch match;
  return std::regex_match(word, match, path) ? match[1].str() : "";
}

bool is_source_name(const std::string& word) {
  static const std::regex name(R"(\w+\.(hpp|cpp|cu|cuh))");
  return std::regex_match(word, name);
}

void add_paths(const std::string& code, int line, std::vector<Mention>& mentions) {
  std::string before;
  for (const std::string& word : words_of(code)) {
    const std::string path = before == "-R" || before == "-E" ? "" : path_in(word);
    if (!path.empty()) mentions.push_back({line, path, Named::by_path});
    if (is_source_name(word)) mentions.push_back({line, word, Named::by_name});
    before = word;
  }
}

void add_links(const std::string& line, int number, std::vector<Mention>& mentions) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it)
    if ((*it)[1].str().find("://") == std::string::npos)
      mentions.push_back({number, (*it)[1], Named::by_link});
}

std::set<std::string> anchors_of(const fs::path& document) {
  std::set<std::string> anchors;
  for (const std::string& line : lines_of(read_text(document)))
    if (line.starts_with('#')) anchors.insert(anchor_of(line));
  return anchors;
}

bool links_somewhere(const fs::path& root, const fs::path& document, const std::string& target) {
  const std::size_t hash = target.find('#');
  const fs::path file =
      hash == 0 ? root / document : (root / document).parent_path() / target.substr(0, hash);
  if (!fs::exists(file)) return false;
  return hash == std::string::npos || anchors_of(file).contains(target.substr(hash + 1));
}

/// Whether the path is a file, a folder, or a file without its extension.
bool is_there(const fs::path& path) {
  if (fs::exists(path)) return true;
  if (!fs::is_directory(path.parent_path())) return false;
  return std::ranges::any_of(fs::directory_iterator(path.parent_path()), [&](const auto& entry) {
    return entry.path().filename().string().starts_with(path.filename().string() + ".");
  });
}

std::set<std::string> names_of_sources(const fs::path& root) {
  std::set<std::string> names;
  for (const char* top : {"ref", "gpu", "verification", "tests"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (is_source_name(entry.path().filename().string()))
        names.insert(entry.path().filename().string());
  }
  return names;
}

std::vector<fs::path> documents_of(const fs::path& root) {
  std::vector<fs::path> documents;
  if (fs::exists(root / "README.md")) documents.emplace_back("README.md");
  if (fs::is_directory(root / "docs"))
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
      if (entry.path().extension() == ".md")
        documents.push_back(entry.path().lexically_relative(root));
  std::ranges::sort(documents);
  return documents;
}

}  // namespace

std::vector<Mention> read_mentions(const std::string& markdown) {
  std::vector<Mention> mentions;
  bool inside_block = false;
  int number = 0;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (line.starts_with("```")) {
      inside_block = !inside_block;
      continue;
    }
    for (const std::string& code : code_parts(line, inside_block))
      add_paths(code, number, mentions);
    if (!inside_block) add_links(line, number, mentions);
  }
  return mentions;
}

std::string anchor_of(const std::string& heading) {
  const std::size_t begin = heading.find_first_not_of("# ");
  std::string anchor;
  for (const char c : heading.substr(begin == std::string::npos ? heading.size() : begin)) {
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

std::vector<std::string> mention_violations(const fs::path& root,
                                            const std::vector<std::string>& made) {
  const std::set<std::string> sources = names_of_sources(root);
  const auto is_made = [&](const std::string& path) {
    return std::ranges::any_of(made, [&](const std::string& folder) {
      return path == folder || path.starts_with(folder + "/");
    });
  };
  const auto has = [&](const fs::path& document, const Mention& mention) {
    switch (mention.named) {
      case Named::by_link:
        return links_somewhere(root, document, mention.target);
      case Named::by_path:
        return is_made(mention.target) || is_there(root / mention.target);
      case Named::by_name:
        return sources.contains(mention.target);
    }
    return false;
  };
  std::vector<std::string> found;
  std::size_t count = 0;
  for (const fs::path& document : documents_of(root))
    for (const Mention& mention : read_mentions(read_text(root / document))) {
      ++count;
      if (!has(document, mention))
        found.push_back(document.generic_string() + ":" + std::to_string(mention.line) + ": " +
                        mention.target + " is not there");
    }
  if (count == 0)
    throw std::runtime_error(root.string() + ": no document mentions a file; expected some");
  return found;
}

}  // namespace normproof::tests::meta
