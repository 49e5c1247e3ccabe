#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/golden/candidate/candidate.hpp"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

using candidate::Candidate;

/// What must hold between the answers to two questions, whatever the right values are.
enum class Relation {
  repeat,     ///< a repeated question gives the same bits
  memory,     ///< a process whose new memory is prefilled gives the same bits
  split,      ///< half of the samples alone gives the bits that they have in the whole
  permute,    ///< samples in reverse order give results in reverse order
  neighbour,  ///< NaN in the first sample leaves the bits of the others unchanged
};
std::string_view to_string(Relation relation);
std::vector<Relation> all_relations();
/// Throws    UsageError with the nearest known name
Relation parse_relation(std::string_view name);

enum class RelationOutcome { held, broken, not_applicable, declined };

struct RelationResult {
  std::string path;
  Relation relation = Relation::repeat;
  RelationOutcome outcome = RelationOutcome::not_applicable;
  std::string sentence =
      {};  ///< of a broken one: the element and both values, or why there is none
};

/// Whom to query. A program whose memory is filled answers the same where it writes every element of
/// its outputs and reads nothing that it has not written.
struct RelationCandidates {
  Candidate query;
  Candidate
      with_filled_memory;  ///< the same implementation in another process, its new memory filled
};

/// Starts a candidate program (from_program) and a second process of it under glibc's
/// MALLOC_PERTURB_. `complained` is as in from_program.
RelationCandidates make_relation_candidates(
    const std::string& command, double seconds,
    const std::function<void(const std::string& last)>& complained = {});

/// Runs variants of each case and compares the outputs with each other.
///
/// Computes  A sample is an index of the first axis of x (the second axis of a sequence). split,
///           permute and neighbour compare y and grad_x bit by bit if no statistic is taken over
///           samples: layers that normalize rows or samples, and inference. If a statistic is taken
///           over samples, permute checks the output for the reversed samples against the bound of
///           check_case.
///           A relation is declined if the candidate declines the case or its variant. A repeated
///           question, once answered, may not be declined
/// Throws    FileError if the corpus itself is damaged
std::vector<RelationResult> check_relations(const std::filesystem::path& golden,
                                            const std::vector<CaseDescription>& cases,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations,
                                            const std::function<void(std::size_t done)>& finished);
/// Checks the relations of a single case.
std::vector<RelationResult> check_relations(const StoredCase& stored,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations);

}  // namespace normproof::verification::golden::gate
