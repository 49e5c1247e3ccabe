#include "verification/checks/determinism/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace normproof::verification::checks::determinism {
namespace {

std::string compare(const RecordedProbe& here, const RecordedProbe& there) {
  if (here.count != there.count)
    return fmt::format("{} values here, {} there", here.count, there.count);
  if (!here.bits || !there.bits)
    return fmt::format("SHA-256 {} here, {} there", here.sha256, there.sha256);
  const auto [a, b] = std::ranges::mismatch(*here.bits, *there.bits);
  return fmt::format("value {} of {} is {:016x} here, {:016x} there", a - here.bits->begin() + 1,
                     here.count, *a, *b);
}

}  // namespace

std::vector<Difference> differences(const Recording& here, const Recording& there) {
  std::vector<Difference> found;
  if (here.contract != there.contract)
    found.push_back({"", fmt::format("contract {} here, {} there", here.contract, there.contract)});
  auto a = here.probes.begin();
  auto b = there.probes.begin();
  while (a != here.probes.end() || b != there.probes.end()) {
    if (b == there.probes.end() || (a != here.probes.end() && a->name < b->name)) {
      found.push_back({a->name, "is not there"});
      ++a;
    } else if (a == here.probes.end() || b->name < a->name) {
      found.push_back({b->name, "is not here"});
      ++b;
    } else {
      if (a->sha256 != b->sha256) found.push_back({a->name, compare(*a, *b)});
      ++a;
      ++b;
    }
  }
  return found;
}

std::string verdict_line(const Recording& here, const std::vector<Difference>& found,
                         const std::string& there_name) {
  if (found.empty())
    return fmt::format("SAME: {} probes have the bits of {}", here.probes.size(), there_name);
  const Difference& first = found.front();
  std::string line = fmt::format("DIFFERS from {}: {}{}{}", there_name, first.probe,
                                 first.probe.empty() ? "" : ": ", first.sentence);
  if (found.size() > 1) line += fmt::format("; and {} more", found.size() - 1);
  return line;
}

}  // namespace normproof::verification::checks::determinism
