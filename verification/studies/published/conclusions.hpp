#pragma once

#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"

namespace normproof::verification::studies::published {

/// What the results say of a published statement.
enum class Verdict { holds, fails, unsettled, not_run };

/// "holds", "does not", "unsettled", "not run".
std::string verdict_name(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_run;
  std::string numbers;  ///< what it rests on, in a sentence or two
};

/// A published statement as a predicate over results.
struct Statement {
  std::string id;    ///< "a1": of the list (a) to (e) of docs/guide/study.md
  std::string text;  ///< what is stated
  std::string rule;  ///< when it holds
};

/// a1, a2: LayerNorm's rates beside BatchNorm's and those without norm; b: BatchNorm's peaks; c1,
/// c2: Lipschitz and smoothness; d: deep without norm; e1, e2: gradients across depth beside
/// BatchNorm's and those without norm.
const std::vector<Statement>& statements();

/// Computes  for each seed whether the predicate of the statement holds of its cells: holds or
///           fails where every seed says so, unsettled where they disagree, not_run where no seed
///           has the cells that it needs: a cell that is missing is never taken for one that
///           failed. e1 and e2: of the means over the seeds, unsettled where fewer than 95 of 100
///           seeds say the same
/// Requires  (C1) id is one of statements()
Finding find(const std::string& id, const Results& results, const Condition& condition);

/// The predicate of a statement over what was published itself: its highest rates, and what was
/// read off its figures. Requires (C1) of find.
Finding find_published(const std::string& id);

/// Steps, from 1 and without the first and the last three, whose loss is above 1.25 times each of
/// the three before and the three after.
std::vector<std::size_t> peaks_of(const CellResult& cell);

/// The curves of a norm by ascending seeds: of the widest model of which the condition has curves
/// of any norm, and of those the ones with the most steps.
std::vector<const Finished*> curves_of(const Results& results, const Condition& condition,
                                       const std::string& norm);

/// The gradients of a norm at the initial state, of the widest model in the same way.
std::vector<const Finished*> gradients_of(const Results& results, const Condition& condition,
                                          const std::string& norm, std::size_t layers);

}  // namespace normproof::verification::studies::published
