#include "verification/cli/verify/checkers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "ref/numeric/errors.hpp"
#include "verification/support/process/lines.hpp"
#include "verification/support/process/program.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::verify {

using support::report::clean_line;
using support::report::cut;

namespace fs = std::filesystem;

namespace {

constexpr int kSkippedStatus = 77;
constexpr std::size_t kMaxErrorColumns =
    400;  // maximum number of columns of a checker's error message

std::string_view first_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

bool is_claim(std::string_view word) {
  return word.size() > 1 && std::isupper(static_cast<unsigned char>(word[0])) != 0 &&
         std::ranges::all_of(word.substr(1), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<CheckedItem> parse_item(std::string_view line) {
  std::string_view rest = line;
  const std::string_view word = first_word(rest), claim = first_word(rest);
  if (!is_claim(claim)) return std::nullopt;
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return CheckedItem{std::string(claim), clean_line(word), clean_line(rest), word != "FAILED"};
}

/// Returns the text between the first occurrence of `mark` and the end of its line, or nothing if
/// `mark` does not occur.
std::optional<std::string> text_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  return clean_line(text.substr(0, text.find('\n')));
}

std::string last_line(std::string_view text) {
  const auto lines = support::process::split_lines(text);
  return lines.empty() ? "it said nothing" : clean_line(lines.back().text);
}

/// If the running program is inside the folder build/<preset> of the checkout `top`, returns this
/// folder. Otherwise returns nothing.
std::optional<fs::path> build_folder(const fs::path& top, const fs::path& running) {
  const fs::path inside = running.lexically_relative(top);
  auto part = inside.begin();
  if (part == inside.end() || *part++ != "build" || part == inside.end()) return std::nullopt;
  return top / "build" / *part;
}

fs::path running_program_path() {
  std::error_code unreadable;
  fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  return program;
}

}  // namespace

Checker proofs_checker() {
  return {"proofs", "theorems", "verification/claims/proofs/check"};
}

Checker smt_checker() {
  return {"smt", "instances", "verification/claims/proofs/smt/check"};
}

fs::path find_in_checkout(const fs::path& file, const std::vector<fs::path>& places) {
  for (const fs::path& place : places) {
    for (fs::path folder = place; !folder.empty(); folder = folder.parent_path()) {
      std::error_code absent;
      if (fs::is_regular_file(folder / file, absent)) return folder / file;
      if (folder == folder.parent_path()) break;
    }
  }
  throw ref::numeric::FileError(fmt::format(
      "{} is in no folder above {}; expected a checkout of normproof's sources around "
      "the program or the current folder: an installed program has neither theorems nor instances",
      file.string(), clean_line(places.front().string())));
}

fs::path find_in_checkout(const fs::path& file) {
  return find_in_checkout(file, {running_program_path().parent_path(), fs::current_path()});
}

CheckerReport parse_outcome(const Checker& checker, int status, std::string_view out,
                            std::string_view err) {
  CheckerReport result{.name = checker.name, .what = checker.what};
  std::string first_failure;
  for (const support::process::Line& line : support::process::split_lines(out)) {
    if (line.text.starts_with("FAILED") && first_failure.empty())
      first_failure = clean_line(line.text.substr(6));
    if (const auto item = parse_item(line.text)) result.items.push_back(*item);
  }
  const bool all_good = std::ranges::all_of(result.items, &CheckedItem::good);
  const auto passed = text_after(out, "PASSED: ");
  if (status == kSkippedStatus) {
    result.state = CheckerReport::State::skipped;
    result.summary = text_after(err, "skipped: ").value_or(last_line(err));
  } else if (status == 0 && all_good && !result.items.empty() && passed) {
    result.state = CheckerReport::State::passed;
    result.summary = *passed;
  } else {
    result.state = CheckerReport::State::failed;
    result.summary = !first_failure.empty() ? first_failure : last_line(err.empty() ? out : err);
  }
  first_failure =
      result.summary.substr(std::min(result.summary.find_first_not_of(' '), result.summary.size()));
  result.summary = cut(first_failure, kMaxErrorColumns);
  return result;
}

CheckerReport run_checker(const Checker& checker, const fs::path& program, int jobs,
                          const std::vector<std::string>& among) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.emplace_back(*variable);
  std::vector<std::string> arguments{program.string(), "--jobs", fmt::format("{}", jobs)};
  if (!among.empty())
    arguments.insert(arguments.end(), {"--among", fmt::format("{}", fmt::join(among, ","))});
  fs::path top = program;
  for (auto part = checker.file.begin(); part != checker.file.end(); ++part)
    top = top.parent_path();
  if (const auto build = build_folder(top, running_program_path()))
    arguments.insert(arguments.end(), {"--build", (*build / checker.name).string()});
  const support::process::ProgramResult result =
      support::process::run_program(arguments, "", environment);
  return parse_outcome(
      checker, result.ending.by_signal ? 128 : result.ending.code, result.out,
      result.ending.by_signal ? "ended by " + result.ending.to_text() : result.err);
}

}  // namespace normproof::verification::cli::verify
