#include "verification/cli/golden/golden_bless.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/certify/bless.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean_line;

namespace {

constexpr std::size_t kMaxLines = 40;

std::string difference_text(const verification::golden::certify::CorpusDifference& difference) {
  std::string text;
  const auto list = [&](const char* what, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i)
      text += fmt::format("{} {}\n", what, clean_line(lines[i]));
    if (lines.size() > kMaxLines)
      text += fmt::format("{} {} more\n", what, lines.size() - kMaxLines);
  };
  list("removed", difference.removed);
  list("added", difference.added);
  list("changed", difference.changed);
  return text + fmt::format("{} added, {} removed, {} changed\n", difference.added.size(),
                            difference.removed.size(), difference.changed.size());
}

std::string read_reason() {
  if (::isatty(STDIN_FILENO) == 0)
    throw ref::numeric::UsageError(
        "no --reason is given, and standard input is no terminal that could be asked; nothing is "
        "changed");
  std::cerr << "Why do they change? (an empty line changes nothing) " << std::flush;
  std::string reason;
  std::getline(std::cin, reason);
  return reason;
}

}  // namespace

void GoldenBlessCommand::add(CLI::App& app) {
  add_golden_option(app, golden);
  const TextConstraint sentence = {
      [](const std::string& text) { return text.find_first_not_of(" \t\n") != std::string::npos; },
      "a sentence"};
  add_text_option(app, "--reason", reason, "Why the values change (default: asked on the terminal)",
                  "TEXT", sentence);
  add_name_list_option(app, "--tier", tiers, verification::golden::corpus::parse_tier,
                       "Tiers to add to those of the corpus, separated by commas", "TIER");
  add_only_option(app, only);
  add_jobs_option(app, jobs, "Cases to certify");
  set_footer(
      app,
      R"(Prints what would be added, removed and changed, with differences in units in the last place. Then
asks for a reason, which is kept in BLESSINGS.jsonl beside the cases. Fails if CI is set. Every
command rejects a corpus that was changed in any other way.

Examples:
  normproof golden bless --golden verification/golden/data
  normproof golden bless --golden verification/golden/data --reason 'softmax joins')");
}

Output GoldenBlessCommand::run() const {
  // This call throws if there is no corpus: the command `make` creates the first one.
  ref::io::read_text(golden / "manifest.json");
  ref::numeric::set_num_threads(1);  // the cases run in parallel instead
  ProgressBar progress;
  std::string given;
  const verification::golden::certify::CorpusDifference difference =
      verification::golden::certify::bless(
          golden,
          {.tiers = tiers,
           .only = only,
           .jobs = jobs,
           .finished = [&](const std::string& path, std::size_t done,
                           std::size_t total) { progress.show("certifying", done, total, path); },
           .reason =
               [&](const verification::golden::certify::CorpusDifference& found) {
                 write_stdout(difference_text(found));
                 given = reason ? *reason : read_reason();
                 return given;
               }});
  const std::string folder = clean_line(golden.string());
  if (difference.empty()) return printed(fmt::format("{}: nothing differs\n", folder));
  return printed(given.empty()
                     ? fmt::format("{}: nothing is changed, for there is no reason\n", folder)
                     : fmt::format("{}: blessed: {}\n", folder, clean_line(given)));
}

}  // namespace normproof::verification::cli::golden
