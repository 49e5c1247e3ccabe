#include "tests/meta/layering.hpp"

#include <filesystem>
#include <regex>

namespace normproof::tests::meta {
namespace {

bool is_test(const std::string& folder) {
  return folder == "tests" || folder.starts_with("tests/");
}

std::set<std::string> reach(const Edges& edges, const std::set<std::string>& start) {
  std::set<std::string> seen;
  std::vector<std::string> open(start.begin(), start.end());
  while (!open.empty()) {
    const std::string folder = open.back();
    open.pop_back();
    if (!seen.insert(folder).second) continue;
    if (const auto next = edges.find(folder); next != edges.end()) {
      open.insert(open.end(), next->second.begin(), next->second.end());
    }
  }
  return seen;
}

std::set<std::string> successors(const Edges& edges, const std::string& folder) {
  const auto found = edges.find(folder);
  return found == edges.end() ? std::set<std::string>{} : found->second;
}

}  // namespace

Edges read_allowed(const std::string& markdown) {
  static const std::regex row(R"(^\d+\s+([a-z_]+/[a-z_/]+|gpu)\s+\[([^\]]*)\].*)");
  static const std::regex name(R"([a-z_/]+)");
  Edges allowed;
  for (const std::string& line : lines_of(markdown)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    auto& targets = allowed[match[1]];
    const std::string list = match[2];
    for (std::sregex_iterator it(list.begin(), list.end(), name), end; it != end; ++it) {
      targets.insert(it->str());
    }
  }
  return allowed;
}

LinkGraph read_link_graph(const std::string& text) {
  LinkGraph graph;
  for (const std::string& line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() != 3) continue;
    if (words[1] == "target") graph.folders.insert(words[0]);
    if (words[1] == "public") graph.exported[words[0]].insert(words[2]);
    if (words[1] == "public" || words[1] == "private") graph.all[words[0]].insert(words[2]);
  }
  return graph;
}

std::vector<std::string> link_violations(const Edges& allowed, const LinkGraph& links) {
  std::vector<std::string> found;
  for (const std::string& folder : links.folders) {
    if (is_test(folder) || folder == ".") continue;
    if (!allowed.contains(folder)) {
      found.push_back(folder + ": has a target, but no row in docs/layers.md");
      continue;
    }
    const auto linked = successors(links.all, folder);
    const auto& row = allowed.at(folder);
    for (const std::string& to : linked) {
      if (!row.contains(to)) {
        found.push_back(folder + ": links " + to + "; its row in docs/layers.md does not");
      }
    }
    for (const std::string& to : row) {
      if (!linked.contains(to)) {
        found.push_back(folder + ": its row in docs/layers.md names " + to +
                        ", which it does not link");
      }
    }
  }
  return found;
}

std::vector<std::string> include_violations(const std::vector<SourceFile>& files,
                                            const Edges& allowed, const LinkGraph& links) {
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    const std::string from = file.folder();
    const auto start =
        successors(file.is_header() && !is_test(from) ? links.exported : links.all, from);
    const auto linked = reach(links.exported, start);
    const auto table = reach(allowed, successors(allowed, from));
    for (const std::string& include : file.includes) {
      const std::string to = std::filesystem::path(include).parent_path().generic_string();
      const std::string edge = file.path + ": includes \"" + include + "\"";
      if (!include.starts_with("ref/") && !include.starts_with("gpu/") &&
          !include.starts_with("verification/") && !include.starts_with("tests/")) {
        found.push_back(edge + "; expected a path from the root of the repository");
      } else if (to == from || (is_test(from) && is_test(to))) {
        continue;
      } else if (!is_test(from) && !table.contains(to)) {
        found.push_back(edge + "; " + from + " may not use " + to + " (docs/layers.md)");
      } else if (!linked.contains(to)) {
        found.push_back(edge + "; " + from + " does not link " + to);
      }
    }
  }
  return found;
}

std::vector<std::string> own_header_violations(const std::vector<SourceFile>& files) {
  std::set<std::string> headers;
  for (const SourceFile& file : files) {
    if (file.is_header()) headers.insert(file.path);
  }
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    const std::string own = file.stem() + ".hpp";
    if (file.is_header() || !headers.contains(own)) continue;
    if (file.includes.empty() || file.includes.front() != own) {
      found.push_back(file.path + ": expected \"" + own + "\" as its first include");
    }
  }
  return found;
}

}  // namespace normproof::tests::meta
