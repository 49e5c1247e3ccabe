#include "verification/cli/option_values.hpp"

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

int thread_count(const CLI::App& command, const char* option, const std::string& text) {
  if (command.count(option) > 0) return parse_number(option, text, 1, kMaxJobs);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxJobs);
}

}  // namespace normproof::verification::cli
