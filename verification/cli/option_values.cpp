#include "verification/cli/option_values.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

constexpr int kMaxJobs = 1024;

}  // namespace

std::optional<std::filesystem::path> path_of(const CLI::App& command, const std::string& option) {
  const CLI::Option* const given = command.get_option(option);
  if (given->count() == 0) return std::nullopt;
  const auto text = given->as<std::string>();
  if (text.empty()) throw UsageError(option + " is ''; expected the name of a file");
  return text;
}

const CLI::App& verb_of(const CLI::App& command) {
  const std::vector<CLI::App*> given = command.get_subcommands();
  if (given.size() == 1) return *given.front();
  std::vector<std::string> known;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(verb->get_name());
  const std::string& name = command.get_name();
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty())
    throw ref::numeric::UsageError(
        ref::numeric::unknown_name(fmt::format("{} command", name), extras[0], known));
  throw ref::numeric::UsageError(
      fmt::format("no {0} command is given; expected one of {1} (see normproof {0} --help)", name,
                  fmt::join(known, ", ")));
}

int thread_count(const CLI::App& command, const char* option, const std::string& text) {
  if (command.count(option) > 0) return parse_number(option, text, 1, kMaxJobs);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxJobs);
}

}  // namespace normproof::verification::cli
