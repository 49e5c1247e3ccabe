#pragma once

#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"

namespace normproof::verification::studies::published {

/// The verdict of the results on a published statement.
enum class Verdict { holds, fails, unsettled, not_run };

/// Returns "holds", "does not", "unsettled" or "not run".
std::string verdict_name(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_run;
  std::string numbers;  ///< the evidence, in one or two sentences
};

/// A published statement, which find() evaluates on results.
struct Statement {
  std::string id;    ///< such as "a1": an entry of the list (a) to (e) of docs/guide/study.md
  std::string text;  ///< what the paper states
  std::string rule;  ///< the criterion for it to hold
};

/// Returns the statements. a1, a2: LayerNorm's highest rates against BatchNorm's and those without
/// norm; b: BatchNorm's loss peaks; c1, c2: Lipschitz constant and smoothness; d: deep models
/// without norm; e1, e2: gradients across depth against BatchNorm's and those without norm.
const std::vector<Statement>& statements();

/// Evaluates a statement on results.
///
/// Computes  whether the statement holds for the cells of each seed: holds or fails if every seed
///           agrees, unsettled if they disagree, not_run if no seed has the cells required. A
///           missing cell never counts as a failed one. e1 and e2 compare means over the seeds, and
///           are unsettled if fewer than 95 of 100 seeds agree
/// Requires  (C1) id is one of statements()
Finding find(const std::string& id, const Results& results, const Condition& condition);

/// Evaluates a statement on the published data: the highest rates, and values read off the figures.
/// Requires  (C1) of find
Finding find_published(const std::string& id);

/// Returns the steps, from 1, with a peak: the loss exceeds 1.25 times each of the three losses
/// before and after. The first and the last three steps are left out.
std::vector<std::size_t> find_loss_peaks(const CellResult& cell);

/// Returns the runs with curves of a norm by ascending seeds. Only the widest model for which the
/// condition has curves of any norm counts, and only the runs with the most steps.
std::vector<const Finished*> curve_runs(const Results& results, const Condition& condition,
                                        const std::string& norm);

/// Returns the runs with initial gradients of a norm, chosen in the same way.
std::vector<const Finished*> gradient_runs(const Results& results, const Condition& condition,
                                           const std::string& norm, std::size_t layers);

}  // namespace normproof::verification::studies::published
