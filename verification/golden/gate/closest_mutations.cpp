#include "verification/golden/gate/closest_mutations.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "verification/golden/mutations/joint_sites.hpp"

namespace normproof::verification::golden::gate {

using mutations::Mutation;

namespace {

/// A mutation is left out if another one explains as many outputs and is this many times closer.
/// Distances below kMinComparedUlps count as equally close.
constexpr double kMaxTimesFarther = 2;
constexpr double kMinComparedUlps = 1;

/// Whether `other` explains more outputs than `diagnosis`, and all of the latter.
bool explains_more(const Diagnosis& other, const Diagnosis& diagnosis) {
  return other.outputs.size() > diagnosis.outputs.size() &&
         std::ranges::all_of(diagnosis.outputs, [&](const std::string& output) {
           return std::ranges::find(other.outputs, output) != other.outputs.end();
         });
}

/// Whether `joint` makes the error of `single` at the site of `single` and at others.
bool is_joint_of(const Mutation& joint, const Mutation& single) {
  if (joint.op != single.op) return false;
  for (std::size_t begin = 0; begin != std::string::npos;) {
    const mutations::JointSite* const sites = mutations::joint_site(joint.site.substr(begin));
    if (sites != nullptr && single.site.starts_with(joint.site.substr(0, begin))) {
      const std::string site = single.site.substr(begin);
      // The name of a joint site may match its pattern, as "bias correction of both moments" does.
      return mutations::joint_site(site) == nullptr && sites->has(site);
    }
    const std::size_t colon = joint.site.find(": ", begin);
    begin = colon == std::string::npos ? colon : colon + 2;
  }
  return false;
}

/// Whether `other` makes the name of `each` unnecessary: it explains more, or it is one of several
/// errors that explain no more together.
bool supersedes(const AgreeingMutation& other, const AgreeingMutation& each) {
  return explains_more(other.diagnosis, each.diagnosis) ||
         (other.diagnosis.outputs == each.diagnosis.outputs &&
          is_joint_of(each.mutation, other.mutation));
}

}  // namespace

void keep_closest(std::vector<AgreeingMutation>& found) {
  const auto rank = [](const AgreeingMutation& each) {
    return std::pair(-static_cast<std::ptrdiff_t>(each.diagnosis.outputs.size()),
                     each.diagnosis.ulps);
  };
  std::ranges::stable_sort(found, {}, rank);
  double closest = 0;
  std::size_t outputs = 0;
  std::erase_if(found, [&](const AgreeingMutation& each) {
    if (each.diagnosis.outputs.size() != outputs) {
      outputs = each.diagnosis.outputs.size();
      closest = std::max(each.diagnosis.ulps, kMinComparedUlps);
    }
    return each.diagnosis.ulps > kMaxTimesFarther * closest;
  });
  std::vector<AgreeingMutation> kept;
  kept.reserve(found.size());
  for (const AgreeingMutation& each : found)
    if (std::ranges::none_of(
            found, [&](const AgreeingMutation& other) { return supersedes(other, each); }))
      kept.push_back(each);
  found = std::move(kept);
}

}  // namespace normproof::verification::golden::gate
