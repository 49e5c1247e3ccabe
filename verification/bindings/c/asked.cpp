#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "verification/bindings/c/handle.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/gate/relations.hpp"
#include "verification/support/process/processors.hpp"

// The functions of the C interface that call functions of the caller: checking relations, and
// making a corpus.
namespace golden = normproof::verification::golden;
namespace candidate = golden::candidate;
namespace gate = golden::gate;
using normproof::ref::numeric::FileError;
using normproof::ref::numeric::UsageError;
namespace process = normproof::verification::support::process;
using normproof::verification::bindings::c::require;

namespace {

const char* outcome_name(gate::RelationOutcome outcome) {
  switch (outcome) {
    case gate::RelationOutcome::held:
      return "held";
    case gate::RelationOutcome::broken:
      return "broken";
    case gate::RelationOutcome::declined:
      return "declined";
    case gate::RelationOutcome::not_applicable:
      return "not_applicable";
  }
  return "";
}

std::vector<golden::corpus::Tier> parse_tiers(std::string_view names) {
  std::vector<golden::corpus::Tier> tiers;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    tiers.push_back(golden::corpus::parse_tier(names.substr(at, end - at)));
    at = end + 1;
  }
  return tiers;
}

int count_processors() {
  constexpr int kMaxProcessors = 1024;
  return std::min(process::usable_processors(), kMaxProcessors);
}

}  // namespace

candidate::CandidateOutput normproof_corpus::ask_candidate(const StoredCase& variant,
                                                           normproof_ask ask, void* user) {
  select(std::make_shared<const SelectedCase>(std::make_shared<const StoredCase>(variant)));
  const normproof_case question = selected_->view();
  const std::int32_t status = mode->call_in_caller_mode([&] { return ask(user, &question); });
  if (status != 0)
    throw std::runtime_error(
        fmt::format("normproof_relation: ask returned {} of {}", status, question.path));
  if (refusal_ && refusal_->declined) return candidate::CandidateOutput::declined(refusal_->reason);
  if (refusal_) throw FileError(refusal_->reason);
  if (answer_.empty()) throw FileError("the answer has no output");
  return std::move(answer_);
}

void normproof_corpus::relation(const char* name, normproof_ask ask, void* user,
                                const char** outcome, const char** sentence) {
  const char* const self = "normproof_relation";
  const auto chosen = selected_;
  const StoredCase& stored = require_selected_case(self).stored();
  require(name != nullptr && ask != nullptr && outcome != nullptr && sentence != nullptr, self,
          "relation, ask, outcome or sentence is null; expected all of them");
  const gate::Relation relation = gate::parse_relation(name);
  require(relation != gate::Relation::memory, self,
          "'memory' needs a process of its own; expected repeat, split, permute or neighbour");
  const candidate::Candidate answer = [&](const StoredCase& variant) {
    return ask_candidate(variant, ask, user);
  };
  try {
    const gate::RelationResult result =
        gate::check_relations(stored, {answer, answer}, {relation}).at(0);
    outcome_ = outcome_name(result.outcome);
    sentence_ = result.sentence;
  } catch (...) {
    select(chosen);
    throw;
  }
  select(chosen);
  *outcome = outcome_.c_str();
  *sentence = sentence_.c_str();
}

void normproof_corpus::make(const char* place, const char* tiers, const char* glob,
                            std::int32_t jobs, normproof_progress progress, void* user) {
  const char* const self = "normproof_make";
  require(place != nullptr && tiers != nullptr, self,
          "the folder or the tiers are null; expected both");
  require(jobs >= 0 && jobs <= 1024, self, fmt::format("jobs is {}; expected 0 to 1024", jobs));
  bool stopped = false;  // needs no lock: `finished` is called by one thread at a time
  golden::certify::make_corpus(
      place, {.tiers = parse_tiers(tiers),
              .only = glob == nullptr ? "*" : glob,
              .jobs = jobs == 0 ? count_processors() : jobs,
              .finished = [&](const std::string& path, std::size_t done, std::size_t of) {
                if (progress == nullptr || stopped) return;
                stopped = progress(user, path.c_str(), done, of) != 0;
                if (stopped) throw std::runtime_error("normproof_make: progress stopped it");
              }});
}
