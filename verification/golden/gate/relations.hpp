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
  repeat,     ///< the same question, after another one: the same bits
  memory,     ///< the same question to a program whose new memory is filled: the same bits
  split,      ///< each half of the samples alone: the bits that they have in the whole
  permute,    ///< the samples in reverse order: the results in reverse order
  neighbour,  ///< NaN in the first sample: the bits of the others stay
};
std::string_view to_string(Relation relation);
std::vector<Relation> all_relations();
/// Throws    UsageError with the nearest known name
Relation relation_of(std::string_view name);

enum class RelationOutcome { held, broken, not_applicable, declined };

struct RelationResult {
  std::string path;
  Relation relation = Relation::repeat;
  RelationOutcome outcome = RelationOutcome::not_applicable;
  std::string sentence =
      {};  ///< of a broken one: the element and both values, or why there is none
};

/// Whom to ask. A program whose memory is filled answers the same where it writes every element of
/// its outputs and reads nothing that it has not written.
struct RelationAsks {
  Candidate ask;
  Candidate filled;  ///< the same implementation in another process, its new memory filled
};

/// A program that answers (from_program), and another run of it under glibc's MALLOC_PERTURB_.
/// `complained` as for from_program.
RelationAsks relation_asks(const std::string& command, double seconds,
                           const std::function<void(const std::string& last)>& complained = {});

/// Asks variants of each case, and holds the answers against each other.
///
/// Computes  samples are the extents of the first axis of x (the second of a sequence). split,
///           permute and neighbour compare y and grad_x bit by bit where no statistic runs over
///           samples: layers by rows or samples, and inference. Where one does, permute holds the
///           answer to the samples in reverse order against the bound of check_case
///           A relation is declined where the case is, or its variant; but the same question, once
///           answered, is answered again
/// Throws    FileError where the corpus itself is damaged
std::vector<RelationResult> check_relations(const std::filesystem::path& golden,
                                            const std::vector<CaseDescription>& cases,
                                            const RelationAsks& asks,
                                            const std::vector<Relation>& relations,
                                            const std::function<void(std::size_t done)>& finished);
/// The same of one case.
std::vector<RelationResult> check_relations(const StoredCase& stored, const RelationAsks& asks,
                                            const std::vector<Relation>& relations);

}  // namespace normproof::verification::golden::gate
