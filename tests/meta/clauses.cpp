#include "tests/meta/clauses.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>

#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& header) {
  return fs::path(header).parent_path().generic_string();
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" ;.") + 1 - begin);
}

/// Returns the name in lower case without '_', so that LayerNorm and layer_norm are equal.
std::string plain(std::string name) {
  std::erase(name, '_');
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Returns the name that the comment above a line documents.
std::string declared_name(const std::vector<std::string>& lines, std::size_t at) {
  static const std::regex skipped(R"(^\s*(template\b.*|requires\b.*|\[\[.*\]\])?\s*$)");
  static const std::regex type(R"(^\s*(?:class|struct)\s+(\w+).*)");
  static const std::regex call(R"(([A-Za-z_]\w*)\s*\()");
  for (; at < lines.size(); ++at) {
    std::smatch match;
    if (std::regex_match(lines[at], skipped)) continue;
    if (std::regex_match(lines[at], match, type)) return match[1];
    if (std::regex_search(lines[at], match, call)) return match[1];
    if (lines[at].find("namespace") != std::string::npos) return "";
  }
  return "";
}

/// Returns the field "Requires" of a comment on one line.
std::string required(const std::vector<std::string>& comment) {
  static const std::regex field(R"(^([A-Z][a-z]+)\s+(.*)$)");
  static const std::set<std::string> fields = {"Source", "Computes", "Shapes", "Requires", "Order",
                                               "Error",  "Saves",    "Throws", "Returns",  "Memory",
                                               "Leaves", "Checks",   "Notes",  "Example"};
  std::string text;
  bool inside = false;
  for (const std::string& line : comment) {
    std::smatch match;
    if (line.empty()) {
      inside = false;
    } else if (std::regex_match(line, match, field) && fields.contains(match[1])) {
      inside = match[1] == "Requires";
      if (inside) text += " " + match[2].str();
    } else if (inside) {
      text += " " + trimmed(line);
    }
  }
  return text;
}

void add_requirements(const std::string& header, const std::string& function,
                      const std::string& text, std::vector<Requirement>& found) {
  static const std::regex clause(R"(\(C(\d+)\))");
  std::sregex_iterator it(text.begin(), text.end(), clause), end;
  for (; it != end; ++it) {
    const auto next = std::next(it);
    const auto from = static_cast<std::size_t>(it->position() + it->length());
    const std::size_t to = next == end ? text.size() : static_cast<std::size_t>(next->position());
    const std::string own = trimmed(text.substr(from, to - from));
    const bool elsewhere = own.empty() || own == "and" || own.starts_with("of ") ||
                           own.starts_with("to ") || own == "to";
    if (elsewhere) {
      if (own == "to") ++it;
      if (it == end) return;
      continue;
    }
    const Requirement stated{header, function, std::stoi((*it)[1]), own};
    if (std::ranges::find(found, stated) == found.end()) found.push_back(stated);
  }
}

std::string row_of(const Requirement& r) {
  return "| `" + r.function + "` | (C" + std::to_string(r.clause) + ") | " +
         std::regex_replace(r.text, std::regex(R"(\|)"), "\\|") + " |";
}

/// Whether functions of the header use the same clause number for different requirements.
bool reuses_numbers(const std::vector<Requirement>& all, const Requirement& r) {
  return std::ranges::any_of(all, [&](const Requirement& other) {
    return other.header == r.header && other.clause == r.clause && other.text != r.text;
  });
}

struct Exceptions {
  std::set<std::string> labels;
  std::vector<std::string> without_reason;
};

Exceptions read_exceptions(const std::string& text) {
  Exceptions result;
  bool has_reason = false;
  for (const std::string& line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    if (words[0] == "because") {
      has_reason = words.size() > 2;
      continue;
    }
    for (const std::string& label : words) {
      result.labels.insert(label);
      if (!has_reason) result.without_reason.push_back(label + ": excepted without a reason");
    }
  }
  return result;
}

/// Maps each folder to the clauses that its checks name.
std::map<std::string, std::set<int>> named_clauses(const fs::path& root) {
  static const std::regex named(R"((== (?:\w+::)*)?\bClause::C(\d+))");
  std::map<std::string, std::set<int>> result;
  for (const SourceFile& file : read_source_tree(root)) {
    if (file.path.starts_with("tests/")) continue;
    const std::string text = read_text(root / file.path);
    for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it)
      if (!(*it)[1].matched) result[file.folder()].insert(std::stoi((*it)[2]));
  }
  return result;
}

struct ClauseTest {
  std::string file, suite, name;
  int clause = 0;
  bool looks;  ///< whether the test examines a rejection
};

std::vector<ClauseTest> read_tests(const fs::path& root, const std::string& file) {
  static const std::regex test(
      R"((TEST|TEST_F|TEST_P|RC_GTEST_PROP|NORMPROOF_REJECTS)\(\s*(\w+),\s*(\w+))");
  static const std::regex clause(R"(C(\d+)(?!And|to)(?!\d)\w*)");
  static const std::regex looking(
      R"(contract_message|contract_violation|refus(ed|al)\w*\(|message\(|ThrowsMessage<ContractError>)");
  const std::string text = read_text(root / file);
  std::vector<ClauseTest> tests;
  for (std::sregex_iterator it(text.begin(), text.end(), test), end; it != end; ++it) {
    const std::string name = (*it)[3];
    std::smatch match;
    if (!std::regex_match(name, match, clause)) continue;
    const auto next = std::next(it);
    const auto from = static_cast<std::size_t>(it->position());
    const std::size_t to = next == end ? text.size() : static_cast<std::size_t>(next->position());
    const bool looks =
        (*it)[1] == "NORMPROOF_REJECTS" || std::regex_search(text.substr(from, to - from), looking);
    tests.push_back({file, (*it)[2], name, std::stoi(match[1]), looks});
  }
  return tests;
}

bool is_of_function(const ClauseTest& test, const std::string& function) {
  const std::string suite = plain(test.suite), own = plain(function);
  return suite == own || suite == own + "test" || suite == own + "contract";
}

/// Returns the clause tests of a header.
std::vector<ClauseTest> tests_of(const fs::path& root, const std::string& header) {
  std::vector<ClauseTest> tests;
  for (const char* ending : {"_test.cpp", "_contract_test.cpp"}) {
    const std::string file = "tests/" + header + ending;
    if (!fs::exists(root / file)) continue;
    const auto more = read_tests(root, file);
    tests.insert(tests.end(), more.begin(), more.end());
  }
  return tests;
}

bool is_tested(const std::vector<Requirement>& all, const Requirement& r,
               const std::vector<ClauseTest>& tests) {
  const bool by_suite = reuses_numbers(all, r);
  return std::ranges::any_of(tests, [&](const ClauseTest& t) {
    return t.clause == r.clause && (!by_suite || is_of_function(t, r.function));
  });
}

}  // namespace

std::string Requirement::label() const {
  return header + ":C" + std::to_string(clause);
}

std::vector<Requirement> read_requirements(const std::string& header, const std::string& text) {
  std::vector<Requirement> found;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size();) {
    std::vector<std::string> comment;
    for (; i < lines.size(); ++i) {
      const std::size_t slashes = lines[i].find_first_not_of(' ');
      if (slashes == std::string::npos || lines[i].compare(slashes, 3, "///") != 0) break;
      comment.push_back(trimmed(lines[i].substr(slashes + 3)));
    }
    if (comment.empty()) {
      ++i;
      continue;
    }
    std::string function = declared_name(lines, i);
    if (function.empty()) function = fs::path(header).filename().string();
    add_requirements(header, function, required(comment), found);
  }
  return found;
}

std::vector<Requirement> read_all_requirements(const fs::path& root,
                                               const std::vector<std::string>& folders) {
  std::vector<Requirement> all;
  for (const SourceFile& file : read_source_tree(root)) {
    const bool listed = std::ranges::any_of(folders, [&](const std::string& folder) {
      return file.folder() == folder || file.folder().starts_with(folder + "/");
    });
    if (!file.is_header() || !listed) continue;
    const auto own = read_requirements(file.stem(), read_text(root / file.path));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (all.empty()) throw std::runtime_error(root.string() + ": no requirement; expected some");
  return all;
}

std::string requirements_markdown(const std::vector<Requirement>& requirements) {
  std::string text, folder;
  for (const Requirement& r : requirements) {
    if (folder_of(r.header) != folder) {
      folder = folder_of(r.header);
      text += "\n## " + folder + "\n\n| function | clause | requires |\n|---|---|---|\n";
    }
    text += row_of(r) + "\n";
  }
  return text;
}

std::vector<std::string> specification_violations(const std::vector<Requirement>& requirements,
                                                  const std::string& markdown) {
  const std::string document = "docs/specification/requirements.md: ";
  const std::size_t begin = markdown.find("\n## ");
  const auto written = lines_of(begin == std::string::npos ? "" : markdown.substr(begin));
  const auto expected = lines_of(requirements_markdown(requirements));
  const std::multiset<std::string> have(written.begin(), written.end());
  const std::multiset<std::string> want(expected.begin(), expected.end());
  std::vector<std::string> found;
  const auto report = [&](const auto& lines, const auto& others, const std::string& what) {
    std::vector<std::string> alone;
    std::ranges::set_difference(lines, others, std::back_inserter(alone));
    for (const std::string& line : alone) found.push_back(document + what + line);
  };
  report(want, have, "expected ");
  report(have, want, "no header has ");
  if (found.empty() && written != expected)
    found.push_back(document + "expected the order of the headers");
  return found;
}

std::vector<std::string> check_violations(const fs::path& root,
                                          const std::vector<Requirement>& requirements,
                                          const std::string& exceptions) {
  const auto excepted = read_exceptions(exceptions).labels;
  const auto named = named_clauses(root);
  const auto names_in = [&](const std::string& folder, int clause) {
    const auto found = named.find(folder);
    return found != named.end() && found->second.contains(clause);
  };
  // check_activations, check_shape and similar checks are in ref/tensor.
  const auto names = [&](const std::string& folder, int clause) {
    return names_in(folder, clause) || names_in("ref/tensor", clause);
  };
  std::map<std::string, std::set<int>> stated;
  std::vector<std::string> found;
  for (const Requirement& r : requirements) {
    stated[folder_of(r.header)].insert(r.clause);
    if (!names(folder_of(r.header), r.clause) && !excepted.contains(r.label()))
      found.push_back(r.label() + ": no check in " + folder_of(r.header) + " names it");
  }
  for (const auto& [folder, clauses] : named) {
    const std::string of = folder.starts_with("gpu/") ? "ref/" + folder.substr(4) : folder;
    if (!stated.contains(of)) continue;
    for (const int clause : clauses)
      if (!stated.at(of).contains(clause))
        found.push_back(folder + ": a check names C" + std::to_string(clause) +
                        ", which no header of " + of + " states");
  }
  return found;
}

std::vector<std::string> device_violations(const std::vector<Requirement>& of_devices,
                                           const std::vector<Requirement>& requirements) {
  std::map<std::string, std::set<int>> stated;
  for (const Requirement& r : requirements) stated[r.header].insert(r.clause);
  std::vector<std::string> found;
  for (const Requirement& r : of_devices) {
    const auto twin = stated.find("ref/" + r.header.substr(std::string("gpu/").size()));
    if (twin != stated.end() && !twin->second.contains(r.clause))
      found.push_back(r.label() + ": " + twin->first + ".hpp does not state it");
  }
  return found;
}

std::vector<std::string> test_violations(const fs::path& root,
                                         const std::vector<Requirement>& requirements,
                                         const std::string& exceptions) {
  const auto excepted = read_exceptions(exceptions).labels;
  std::map<std::string, std::set<int>> stated;
  std::map<std::string, std::vector<ClauseTest>> tests;
  std::vector<std::string> found;
  for (const Requirement& r : requirements) {
    stated[r.header].insert(r.clause);
    if (!tests.contains(r.header)) tests[r.header] = tests_of(root, r.header);
    if (!excepted.contains(r.label()) && !is_tested(requirements, r, tests[r.header]))
      found.push_back(r.label() + ": no test of it in tests/" + r.header +
                      "_test.cpp; expected TEST(..., C" + std::to_string(r.clause) + "...), of " +
                      r.function);
  }
  for (const auto& [header, clauses] : stated) {
    for (const ClauseTest& test : tests[header]) {
      if (!clauses.contains(test.clause))
        found.push_back(test.file + ": " + test.name + " is of a clause that " + header +
                        ".hpp does not state");
      if (!test.looks) found.push_back(test.file + ": " + test.name + " looks at no refusal");
    }
  }
  return found;
}

std::vector<std::string> exception_violations(const fs::path& root,
                                              const std::vector<Requirement>& requirements,
                                              const std::string& exceptions) {
  Exceptions read = read_exceptions(exceptions);
  std::vector<std::string> found = std::move(read.without_reason);
  for (const std::string& label : read.labels) {
    const auto own = std::ranges::find_if(requirements,
                                          [&](const Requirement& r) { return r.label() == label; });
    if (own == requirements.end())
      found.push_back(label + ": excepted, but no header states it");
    else if (is_tested(requirements, *own, tests_of(root, own->header)))
      found.push_back(label + ": excepted, but it has a test");
  }
  return found;
}

}  // namespace normproof::tests::meta
