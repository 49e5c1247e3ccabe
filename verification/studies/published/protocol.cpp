#include "verification/studies/published/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {
namespace {

constexpr std::pair<const char*, bool Protocol::*> kFaults[] = {
    {"misaligned_labels", &Protocol::misaligned_labels},
    {"inference_stays_on", &Protocol::inference_stays_on},
    {"consecutive_probes", &Protocol::consecutive_probes},
    {"no_padding_mask", &Protocol::no_padding_mask},
    {"count_weights", &Protocol::count_weights},
    {"published_model", &Protocol::published_model}};

constexpr std::string_view kCorrectedName = "corrected";
constexpr std::string_view kPublished = "published";
constexpr std::size_t kMaxAddedFaults =
    3;  // maximum number of faults appended to "corrected" in a name

bool Protocol::*find_fault(std::string_view protocol, std::string_view fault) {
  for (const auto& [name, own] : kFaults)
    if (fault == name) return own;
  throw ref::numeric::UsageError(ref::numeric::unknown_name(
      fmt::format("fault of the protocol '{}':", protocol), fault, fault_names()));
}

}  // namespace

Protocol published_protocol() {
  Protocol protocol;
  for (const auto& [name, own] : kFaults) protocol.*own = true;
  return protocol;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kFaults));
  for (const auto& [name, own] : kFaults) names.emplace_back(name);
  return names;
}

std::size_t count_faults(const Protocol& protocol) {
  return static_cast<std::size_t>(
      std::ranges::count_if(kFaults, [&](const auto& fault) { return protocol.*fault.second; }));
}

std::string protocol_name(const Protocol& protocol) {
  const bool added = count_faults(protocol) <= kMaxAddedFaults;
  std::string text(added ? kCorrectedName : kPublished);
  for (const auto& [name, own] : kFaults)
    if (protocol.*own == added) text += fmt::format("{}{}", added ? '+' : '-', name);
  return text;
}

Protocol parse_protocol(std::string_view name) {
  const std::size_t end = std::min(name.find_first_of("+-"), name.size());
  const std::string_view base = name.substr(0, end);
  if (base != kCorrectedName && base != kPublished) {
    std::vector<std::string> known;
    for (const Protocol& protocol : standard_protocols()) known.push_back(protocol_name(protocol));
    throw ref::numeric::UsageError(ref::numeric::unknown_name("protocol", name, known));
  }
  const bool added = base == kCorrectedName;
  Protocol protocol = added ? Protocol() : published_protocol();
  for (std::size_t at = end; at < name.size();) {
    const std::size_t next = std::min(name.find_first_of("+-", at + 1), name.size());
    const std::string_view fault = name.substr(at + 1, next - at - 1);
    if ((name[at] == '+') != added)
      throw ref::numeric::UsageError(
          fmt::format("protocol is '{}'; expected faults added to 'corrected' by '+', or taken "
                      "from 'published' by '-'",
                      name));
    protocol.*find_fault(name, fault) = added;
    at = next;
  }
  return protocol;
}

std::vector<Protocol> standard_protocols() {
  std::vector<Protocol> protocols = {Protocol(), published_protocol()};
  for (const bool alone : {true, false})
    for (const auto& [name, own] : kFaults) {
      Protocol one = alone ? Protocol() : published_protocol();
      one.*own = alone;
      protocols.push_back(one);
    }
  return protocols;
}

}  // namespace normproof::verification::studies::published
