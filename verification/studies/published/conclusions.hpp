#pragma once

#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"

namespace normproof::verification::studies::published {

/// Whether the results support a statement of the paper.
enum class Verdict { holds, fails, unsettled, not_run };

/// Returns the verdict in words: "holds", "does not", "unsettled" or "not run".
std::string verdict_name(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::not_run;
  std::string numbers;  ///< the numbers behind the verdict, in one or two sentences
};

/// A statement of the paper. find() decides whether the results support it.
struct Statement {
  /// Id such as "a1"; the letter names the entry in the list (a) to (e) of docs/guide/study.md.
  std::string id;
  std::string text;  ///< the statement in words
  std::string rule;  ///< the criterion that decides whether it holds
};

/// Returns the statements of the paper. a1 and a2 compare the highest learning rate with LayerNorm
/// to the highest rates with BatchNorm and with no norm. b is about peaks of the loss with
/// BatchNorm. c1 and c2 are about the Lipschitz constant and the smoothness of the loss. d is about
/// deep models without norm. e1 and e2 are about gradients across the layers, compared with
/// BatchNorm and with no norm.
const std::vector<Statement>& statements();

/// Decides whether the results support a statement of the paper.
///
/// Computes  a decision for each seed. The verdict is `holds` or `fails` if all seeds agree,
///           `unsettled` if they disagree, and `not_run` if no seed has the required training runs.
///           A missing training run never counts as a failed one. The statements e1 and e2 compare
///           means over the seeds; they are `unsettled` if fewer than 95 of 100 seeds agree
/// Requires  (C1) id is one of statements()
Finding find(const std::string& id, const Results& results, const Condition& condition);

/// Decides whether the paper's own data support a statement: its tables of highest learning rates,
/// and the values that were read off its figures.
/// Requires  clause (C1) of find
Finding find_published_finding(const std::string& id);

/// Returns the steps, counted from 1, at which the loss has a peak: it is more than 1.25 times each
/// of the three losses before it and of the three losses after it. The first and the last three
/// steps have no peaks.
std::vector<std::size_t> find_loss_peaks(const CellResult& cell);

/// Returns the training runs of a norm that recorded curves, by ascending seeds. It considers
/// only the widest model for which any norm has curves in this condition. Among the training runs
/// with this model, it considers only the runs with the largest number of steps.
std::vector<const FinishedRun*> find_curve_runs(const Results& results, const Condition& condition,
                                                const std::string& norm);

/// Returns the training runs of a norm that computed initial gradients, by ascending seeds. Only
/// runs of the widest model count.
std::vector<const FinishedRun*> find_gradient_runs(const Results& results,
                                                   const Condition& condition,
                                                   const std::string& norm, std::size_t layers);

}  // namespace normproof::verification::studies::published
