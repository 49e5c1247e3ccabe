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

/// Relations between the outputs of a candidate for a case and its outputs for a variant of that
/// case. They can be checked without knowing the correct values.
enum class Relation {
  repeat,  ///< running the same case again gives the same bits
  /// A process in which newly allocated memory is filled with a pattern gives the same bits.
  memory,
  split,      ///< the samples of half a batch have the same bits as in the whole batch
  permute,    ///< samples in reverse order give outputs in reverse order
  neighbour,  ///< NaN in the first sample does not change the bits of other samples
};
std::string_view to_string(Relation relation);
std::vector<Relation> all_relations();
/// Returns the relation of that name.
/// Throws    UsageError with the nearest known name
Relation parse_relation(std::string_view name);

enum class RelationOutcome { held, broken, not_applicable, declined };

struct RelationResult {
  std::string path;
  Relation relation = Relation::repeat;
  RelationOutcome outcome = RelationOutcome::not_applicable;
  /// One sentence that says why the relation is broken: which element differs and its two values,
  /// or why there is no output. Empty if the relation is not broken.
  std::string sentence = {};
};

/// The candidates that run a case and its variants. `query` and `with_filled_memory` return the
/// same bits if the program writes every element of its outputs and reads no uninitialized memory.
struct RelationCandidates {
  Candidate query;
  /// The same program in another process, in which newly allocated memory is filled with a pattern.
  Candidate with_filled_memory;
};

/// Returns two candidates that run the program `command`. They are made by make_program_candidate,
/// which also receives `on_standard_error`. For the second candidate, glibc's MALLOC_PERTURB_ is
/// set in the environment of the program.
RelationCandidates make_relation_candidates(
    const std::string& command, double seconds,
    const std::function<void(const std::string& last)>& on_standard_error = {});

/// Runs a candidate on variants of each case and compares its outputs with each other. A sample is
/// one index of the first axis of x, or of the second axis if x is a sequence.
///
/// Computes  the relations `split`, `permute` and `neighbour` on y and grad_x, bit by bit, if no
///           statistic is taken over samples. Layers that normalize rows or samples take no such
///           statistic, and in inference no layer does. If a statistic is taken over samples,
///           `permute` compares the output for the reversed samples with the expected values,
///           within the error bounds of check_case.
///           The result is `declined` if the candidate declines the case or the variant. If a
///           candidate declines a case that it computed before, the relation `repeat` is broken
/// Throws    FileError if the corpus itself is damaged
std::vector<RelationResult> check_relations(const std::filesystem::path& golden,
                                            const std::vector<CaseDescription>& cases,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations,
                                            const std::function<void(std::size_t done)>& finished);
/// Checks the relations on a single case.
std::vector<RelationResult> check_relations(const StoredCase& stored,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations);

}  // namespace normproof::verification::golden::gate
