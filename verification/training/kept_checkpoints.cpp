#include "verification/training/kept_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace normproof::verification::training {

namespace fs = std::filesystem;

namespace {

/// Returns the step in a file name such as "checkpoint-120.safetensors", or nothing if the name
/// does not have this form.
std::optional<std::size_t> parse_step(std::string_view name) {
  constexpr std::string_view before = "checkpoint-", behind = ".safetensors";
  if (!name.starts_with(before) || !name.ends_with(behind)) return std::nullopt;
  name.remove_prefix(before.size());
  const std::string_view digits = name.substr(0, name.size() - behind.size());
  std::size_t step = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), step);
  const bool is_one = fmt::format("{}", step) == digits;
  return is_one ? std::optional(step) : std::nullopt;
}

}  // namespace

fs::path kept_checkpoint_path(const fs::path& folder, std::size_t step) {
  return folder / fmt::format("checkpoint-{}.safetensors", step);
}

std::vector<std::size_t> list_kept_steps(const fs::path& folder) {
  std::vector<std::size_t> steps;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const auto step = parse_step(entry.path().filename().string())) steps.push_back(*step);
  std::ranges::sort(steps);
  return steps;
}

void remove_old_checkpoints(const fs::path& folder, std::size_t count, std::size_t step) {
  std::vector<std::size_t> steps = list_kept_steps(folder);
  std::error_code ignored;
  const auto remove = [&](std::size_t one) {
    fs::remove(kept_checkpoint_path(folder, one), ignored);
  };
  for (; !steps.empty() && steps.back() > step; steps.pop_back()) remove(steps.back());
  for (std::size_t i = 0; i + count < steps.size(); ++i) remove(steps[i]);
}

}  // namespace normproof::verification::training
