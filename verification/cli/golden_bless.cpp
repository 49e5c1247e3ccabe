#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/golden.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

namespace {

constexpr std::size_t kMostLines = 40;

std::string difference_text(const golden::certify::CorpusDifference& difference) {
  std::string text;
  const auto list = [&](const char* what, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
      text += fmt::format("{} {}\n", what, clean_line(lines[i]));
    if (lines.size() > kMostLines)
      text += fmt::format("{} {} more\n", what, lines.size() - kMostLines);
  };
  list("removed", difference.removed);
  list("added", difference.added);
  list("changed", difference.changed);
  return text + fmt::format("{} added, {} removed, {} changed\n", difference.added.size(),
                            difference.removed.size(), difference.changed.size());
}

std::string ask_reason() {
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

void golden_bless(const GoldenBlessCommand& command) {
  ref::io::read_text(command.golden / "manifest.json");  // a first corpus is made by 'make'
  ref::numeric::set_num_threads(1);                      // the cases are the tasks
  ProgressBar progress;
  std::string reason;
  const golden::certify::CorpusDifference difference = golden::certify::bless(
      command.golden,
      {.tiers = command.tiers,
       .only = command.only,
       .jobs = command.jobs,
       .finished = [&](const std::string& path, std::size_t done,
                       std::size_t total) { progress.show("certifying", done, total, path); },
       .reason =
           [&](const golden::certify::CorpusDifference& found) {
             write_stdout(difference_text(found));
             reason = command.reason ? *command.reason : ask_reason();
             return reason;
           }});
  const std::string folder = clean_line(command.golden.string());
  if (difference.empty())
    write_stdout(fmt::format("{}: nothing differs\n", folder));
  else
    write_stdout(reason.empty()
                     ? fmt::format("{}: nothing is changed, for there is no reason\n", folder)
                     : fmt::format("{}: blessed: {}\n", folder, clean_line(reason)));
}

}  // namespace normproof::verification::cli
