#include "verification/golden/gate/agreeing_mutations.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/gradient_case.hpp"
#include "verification/golden/mutations/mistake_name.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::gate {

using corpus::find;
using corpus::is_layer;
using corpus::usual_accumulation;
using mutations::Mutation;
using mutations::Sites;
using plain::run_plain;
using recipes::inputs_of;
using EvalInputs = ref::model::OperationInputs;

namespace {

/// The work that every search may do, and the work for each element that was judged. One unit takes
/// about 10 ns, and the verdict on an element about 3 us.
constexpr std::uint64_t kMinWork = 20'000'000;
constexpr std::uint64_t kWorkPerElement = 300;

/// An output agrees with a wrong implementation if their distance is at most this number times the
/// error bound of the correct formula, plus some unit roundoffs of the wrong value
/// (allowed_roundoffs). The factor is larger than 1, because the output and the wrong
/// implementation may each be off by the bound of the wrong formula, which is about as large as
/// that of the correct formula.
constexpr double kAgreementBoundFactor = 4;
/// A mutation is accepted as the explanation of an output only if the output is close to the values
/// of the mutation. Let d be the distance from these values. The output's distance from the exact
/// values must be at least this factor times d. Its distance from the values of the implementation
/// without mutation must be at least as large. This excludes mutations that change nothing.
constexpr double kRequiredMargin = 8;
/// The margin if d is more than kMaxUlpsOfRounding ulps. The order of a sum then no longer explains
/// d, and another mistake of about the same size may be the cause, such as a sum that lacks one
/// element of 1,000 for a sum that is divided by n - 1.
constexpr double kRequiredMarginIfFar = 64, kMaxUlpsOfRounding = 32;
/// The largest distance, in ulps, between an output and the values of a mutation that still counts
/// as agreement, if the mutation has no error bound. An output of 16 bits was computed in more
/// digits.
constexpr double kMaxUlps = 1000, kMaxUlpsOfFewDigits = 4;
/// A mutation is left out if another one explains as many outputs and is this many times closer.
/// Distances below kMinComparedUlps count as equally close.
constexpr double kMaxTimesFarther = 2;
constexpr double kMinComparedUlps = 1;

/// Whether a dtype of this unit roundoff has at most 16 bits.
bool has_few_digits(double unit_roundoff) {
  return unit_roundoff > 0x1p-20;
}

/// Returns the number of unit roundoffs of a wrong value by which an output may be off. A number of
/// 16 bits was computed in more digits and rounded once, or twice.
double allowed_roundoffs(double unit_roundoff) {
  return has_few_digits(unit_roundoff) ? 4 : 64;
}

double distance(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return std::isfinite(a) == std::isfinite(b) ? 0 : std::numeric_limits<double>::infinity();
  return std::fabs(a - b);
}

/// Whether the values of a mutation explain the elements that failed: each of these elements is
/// closer to the mutation than to the exact value, and the mutation fails in most of them. It need
/// not fail in all, because the error of an element may be just above its bound.
bool explains_failed_elements(const FailingOutput& f, const std::vector<double>& values) {
  std::size_t failing = 0;
  for (const std::size_t i : f.failed) {
    const double away = distance(f.got[i], values[i]);
    if (away != 0 && !(away < distance(f.got[i], f.exact[i]))) return false;
    if (!(distance(values[i], f.exact[i]) <= f.bound[i])) ++failing;
  }
  return 4 * failing >= 3 * f.failed.size();
}

/// Whether an output of 8 bits has the values of a mutation, except for a few elements that are
/// beside a tie. The bound of an element includes a rounding to few digits, so that many mistakes
/// are within some bounds of each other.
bool has_same_8_bits(const FailingOutput& f, const std::vector<double>& values) {
  constexpr std::size_t kElementsPerTie = 16;
  std::size_t different = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (distance(f.got[i], values[i]) != 0) ++different;
  return different * kElementsPerTie <= values.size();
}

/// Returns the largest distance between the output and `other`, in ulps of the largest element.
/// Returns nothing if they do not agree.
std::optional<double> find_distance_if_agreeing(const FailingOutput& f,
                                                const std::vector<StoredTensor>& other,
                                                const std::vector<StoredTensor>& right) {
  const StoredTensor* const tensor = find(other, f.name);
  const StoredTensor* const plain = find(right, f.name);
  if (tensor == nullptr || plain == nullptr || *tensor == *plain) return std::nullopt;
  const std::vector<double> values = ref::io::widen(*tensor);
  if (values.size() != f.got.size() || !explains_failed_elements(f, values)) return std::nullopt;
  if (ref::io::item_size(f.dtype) == 1 && !has_same_8_bits(f, values)) return std::nullopt;
  const std::vector<double> unmutated = ref::io::widen(*plain);
  double largest = 0, to_exact = 0, to_right = 0, magnitude = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double away = distance(f.got[i], values[i]);
    finite += std::isfinite(f.got[i]) ? 1 : 0;
    // If the wrong value is larger than the correct one, its bound is larger too.
    const double scale =
        std::isfinite(values[i]) ? allowed_roundoffs(f.unit) * f.unit * std::fabs(values[i]) : 0;
    // Equal values agree even if the bound is NaN because the expected value is not finite.
    if (away != 0 && !(away <= kAgreementBoundFactor * f.bound[i] + scale)) return std::nullopt;
    largest = std::max(largest, away);
    to_exact = std::max(to_exact, distance(f.got[i], f.exact[i]));
    if (i < unmutated.size()) to_right = std::max(to_right, distance(f.got[i], unmutated[i]));
    if (std::isfinite(values[i])) magnitude = std::max(magnitude, std::fabs(values[i]));
  }
  const double ulps = largest == 0 ? 0 : largest / (2 * f.unit * magnitude);
  const double margin = ulps > kMaxUlpsOfRounding ? kRequiredMarginIfFar : kRequiredMargin;
  // Many wrong formulas produce only NaN, so a NaN output does not tell them apart.
  if (finite == 0 || !(largest * margin <= std::min(to_exact, to_right))) return std::nullopt;
  return ulps;
}

/// The failing outputs that agree with one mutation, and the largest of their distances from this
/// mutation, in ulps.
struct Explanation {
  std::vector<std::string> outputs;
  double ulps = 0;
};

Explanation explain(const std::vector<FailingOutput>& failing,
                    const std::vector<StoredTensor>& other,
                    const std::vector<StoredTensor>& right) {
  Explanation explanation;
  for (const FailingOutput& f : failing) {
    const std::optional<double> own = find_distance_if_agreeing(f, other, right);
    if (!own) continue;
    explanation.outputs.push_back(f.name);
    explanation.ulps = std::max(explanation.ulps, *own);
  }
  // A scale is one of few powers of two. If y failed too, its elements tell mistakes apart.
  const auto is_explained = [&](const char* name) {
    return std::ranges::find(explanation.outputs, name) != explanation.outputs.end();
  };
  const bool is_y_wrong = std::ranges::find(failing, "y", &FailingOutput::name) != failing.end();
  if (is_y_wrong && !is_explained("y")) std::erase(explanation.outputs, "y_scale");
  return explanation;
}

/// Whether the mutation changes only the rounding. Two values that are nearly equal before such a
/// rounding can be far apart after it.
bool is_rounding_mistake(const Mutation& mutation) {
  return mutation.op == mutations::MutationOperator::half_precision ||
         mutation.op == mutations::MutationOperator::bfloat16_sum ||
         mutation.op == mutations::MutationOperator::truncate;
}

bool is_within_mistaken_bound(const FailingOutput& f, const std::vector<double>& mistaken,
                              const std::vector<double>& errors) {
  if (errors.size() != mistaken.size()) return false;
  for (std::size_t i = 0; i < mistaken.size(); ++i) {
    const double bound =
        2 * tolerance::with_storage_rounding(errors[i], mistaken[i], kNonzeroRemainder, f.dtype);
    if (std::isfinite(mistaken[i]) && !(distance(f.got[i], mistaken[i]) <= bound)) return false;
  }
  return true;
}

/// Removes the outputs that are too far from the mutated formula. The allowed distance is twice the
/// error bound of that formula, because the output and the plain implementation may each be off by
/// this bound. For a mutation without an error bound, the allowed distance is kMaxUlps.
void keep_plausible_outputs(const Case& c, const std::vector<FailingOutput>& failing,
                            const std::vector<StoredTensor>& mistaken, const Mutation& mutation,
                            Explanation& explanation) {
  if (explanation.outputs.empty()) return;
  const bool has_no_bound = !is_layer(c) || corpus::is_scaled(c);
  const double max_ulps =
      has_few_digits(corpus::unit_roundoff(c.dtype)) ? kMaxUlpsOfFewDigits : kMaxUlps;
  if (has_no_bound || is_rounding_mistake(mutation)) {
    if (has_no_bound && explanation.ulps > max_ulps) explanation.outputs.clear();
    return;
  }
  EvalInputs inputs = inputs_of(c);
  certify::replace_not_finite(inputs, c, certify::kReplacements);
  const auto errors = plain::plain_error_bounds(
      c, inputs, {}, tolerance::arithmetic_of_candidate(usual_accumulation(c.dtype), false),
      mutation);
  std::erase_if(explanation.outputs, [&](const std::string& name) {
    const FailingOutput& f = *std::ranges::find(failing, name, &FailingOutput::name);
    const auto own = errors.find(name);
    return own == errors.end() ||
           !is_within_mistaken_bound(f, ref::io::widen(*find(mistaken, name)), own->second);
  });
}

/// Sorts the mutations by the number of outputs that they explain, and then by their distance.
/// Removes those that are much farther from the output than the closest one that explains as many.
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
}

/// Whether a row of an output may depend on other rows, although the operation computes each row
/// independently.
bool mixes_rows(const Mutation& mutation) {
  using enum mutations::MutationOperator;
  constexpr mutations::MutationOperator kOperators[] = {
      first_row,       previous_row, reversed,  unwritten_last, unwritten_row,
      unwritten_block, transposed,   clean_nan, exchanged_rows};
  return std::ranges::find(kOperators, mutation.op) != std::end(kOperators) ||
         mutation.site.find("axis of") != std::string::npos ||
         mutation.site.find("returned ") != std::string::npos;
}

/// Whether every element of an output is as near to `other` as find_distance_if_agreeing requires.
bool is_near(const FailingOutput& f, const std::vector<double>& other) {
  if (other.size() != f.got.size()) return false;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double away = distance(f.got[i], other[i]);
    const double scale = std::isfinite(other[i]) ? 64 * f.unit * std::fabs(other[i]) : 0;
    if (away != 0 && !(away <= kAgreementBoundFactor * f.bound[i] + scale)) return false;
  }
  return true;
}

/// The number of bounds by which an implementation with a mutation is off in some element if the
/// case can refute the mutation. The rounding errors of such an implementation, which are within
/// the bound, then leave the margin that find_distance_if_agreeing requires.
constexpr double kBoundsOfVisibleError = kRequiredMargin;

/// Whether a mutation may be the mistake of an implementation that does not agree with it here: its
/// failing outputs differ from those of the right implementation, but not by much. A case in which
/// the mutation is hidden does not refute it.
bool is_hidden(const std::vector<FailingOutput>& failing, const std::vector<StoredTensor>& mistaken,
               const std::vector<StoredTensor>& right) {
  bool has_effect = false;
  for (const FailingOutput& f : failing) {
    const StoredTensor* const tensor = find(mistaken, f.name);
    const StoredTensor* const plain = find(right, f.name);
    if (tensor == nullptr || plain == nullptr || *tensor == *plain) continue;
    has_effect = true;
    const std::vector<double> values = ref::io::widen(*tensor);
    if (values.size() != f.exact.size()) return true;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(distance(values[i], f.exact[i]) <= kBoundsOfVisibleError * f.bound[i])) return false;
  }
  return has_effect;
}

/// The row in which most elements failed, for a case with independent rows. Most mutations disagree
/// with this row, so that the other rows need not be computed.
class FailingRow {
 public:
  /// Returns nothing if the case has no independent rows, or if only sums over rows failed.
  static std::optional<FailingRow> find_in(const Case& c,
                                           const std::vector<FailingOutput>& failing) {
    const StoredTensor* const x = find(c.inputs, "x");
    if (!certify::has_independent_rows(c) || x->shape[0] < 2) return std::nullopt;
    FailingRow row;
    const std::size_t rows = x->shape[0];
    std::vector<std::size_t> failures(rows, 0);
    for (const FailingOutput& f : failing) {
      const bool has_rows = !f.shape.empty() && f.shape[0] == rows &&
                            !certify::is_sum_over_rows(f.name) && f.got.size() % rows == 0;
      row.sums_fail_ = row.sums_fail_ || !has_rows;
      if (!has_rows) continue;
      for (const std::size_t i : f.failed) ++failures[i / (f.got.size() / rows)];
      row.outputs_.push_back(f);
    }
    if (row.outputs_.empty()) return std::nullopt;
    const auto most = std::ranges::max_element(failures);
    const auto chosen = static_cast<std::size_t>(most - failures.begin());
    for (FailingOutput& f : row.outputs_) row.keep_row(f, chosen, rows);
    row.c_ = certify::select_rows(c, std::span(&chosen, 1));
    row.inputs_ = inputs_of(row.c_);
    return row;
  }

  /// Computes the row without a mutation.
  void start(std::uint64_t& work_left) {
    Sites all;
    all.list();
    all.limit(work_left);
    right_ = run_plain(c_, inputs_, {}, all);
    seen_ = all.seen();
  }

  /// The result of comparing the row with a mutation.
  struct Finding {
    bool may_explain = true;
    bool is_refuted = false;
  };

  /// Compares the row with a mutation. It may explain an output if it agrees with the row in one of
  /// them, if it changes none of them but a sum over rows, or if it mixes rows.
  Finding compare(const Mutation& mutation, std::uint64_t& work_left) const {
    if (mixes_rows(mutation) || std::ranges::find(seen_, mutation) == seen_.end()) return {};
    Sites sites(mutation);
    sites.limit(work_left);
    const std::vector<StoredTensor> mistaken = run_plain(c_, inputs_, {}, sites);
    bool changes_rows = false;
    for (const FailingOutput& f : outputs_) {
      const StoredTensor* const other = find(mistaken, f.name);
      const StoredTensor* const right = find(right_, f.name);
      if (other == nullptr || right == nullptr) return {};
      if (*other == *right) continue;
      changes_rows = true;
      if (is_near(f, ref::io::widen(*other))) return {};
    }
    if (sums_fail_ && !changes_rows && mistaken != right_) return {};
    return {.may_explain = false, .is_refuted = !is_hidden(outputs_, mistaken, right_)};
  }

 private:
  static void keep_row(FailingOutput& f, std::size_t row, std::size_t rows) {
    const std::size_t width = f.got.size() / rows;
    const auto keep = [&](std::vector<double>& values) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
      values = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    keep(f.got);
    keep(f.exact);
    keep(f.bound);
  }

  Case c_ = {};
  EvalInputs inputs_ = {};
  std::vector<FailingOutput> outputs_ = {};
  bool sums_fail_ = false;
  std::vector<StoredTensor> right_ = {};
  std::vector<Mutation> seen_ = {};
};

/// Whether the mutation changes only an output that did not fail: an error in writing or returning
/// an output changes no other output.
bool changes_no_failing_output(const Mutation& mutation,
                               const std::vector<FailingOutput>& failing) {
  for (const std::string_view action : {"writing ", "returned "}) {
    const std::size_t at = mutation.site.find(action);
    if (at == std::string::npos) continue;
    const std::string output = mutation.site.substr(at + action.size());
    // A part of a model may write a tensor that is no output of the whole, and a site may have this
    // word without an output, as "writing to the cache".
    return at == 0 && output.find(' ') == std::string::npos &&
           std::ranges::find(failing, output, &FailingOutput::name) == failing.end();
  }
  return false;
}

bool is_gradient(const std::string& output) {
  return output.starts_with("grad_");
}

/// Whether the mutation would spoil an output that passed and that belongs to the same pass as an
/// output that it explains: the forward or the backward.
bool spoils_passing_output(const Explanation& explanation,
                           const std::vector<FailingOutput>& passing,
                           const std::vector<StoredTensor>& mistaken,
                           const std::vector<StoredTensor>& right) {
  return std::ranges::any_of(passing, [&](const FailingOutput& output) {
    const StoredTensor* const tensor = find(mistaken, output.name);
    const StoredTensor* const plain = find(right, output.name);
    const bool is_same_pass =
        std::ranges::any_of(explanation.outputs, [&](const std::string& explained) {
          return is_gradient(explained) == is_gradient(output.name);
        });
    if (tensor == nullptr || plain == nullptr || !is_same_pass) return false;
    const std::vector<double> values = ref::io::widen(*tensor), unmutated = ref::io::widen(*plain);
    if (values.size() != output.bound.size() || values.size() != unmutated.size()) return false;
    double magnitude = 0;
    for (const double v : unmutated)
      if (std::isfinite(v)) magnitude = std::max(magnitude, std::fabs(v));
    // An element that cancels has a rounding error that the mutation may change.
    const double noise = 64 * output.unit * magnitude;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(distance(values[i], unmutated[i]) <= kAgreementBoundFactor * output.bound[i] + noise))
        return true;
    return false;
  });
}

/// Runs the mutations one after the other.
class Search {
 public:
  Search(const StoredCase& stored, const std::vector<FailingOutput>& failing,
         std::uint64_t work_limit, const std::vector<FailingOutput>& passing,
         const EarlierCases& earlier, const plain::Style& style)
      : c_(with_every_gradient(stored)),
        inputs_(inputs_of(c_)),
        failing_(failing),
        passing_(passing),
        earlier_(earlier),
        style_(style),
        row_(FailingRow::find_in(c_, failing)),
        work_left_(work_limit) {
    for (const FailingOutput& f : failing)
      (is_gradient(f.name) ? failed_.backward : failed_.forward) = true;
  }

  MutationSearch run() {
    MutationSearch search;
    try {
      Sites all;
      all.list();
      all.limit(work_left_);
      const std::vector<StoredTensor> right = run_plain(c_, inputs_, style_, all);
      if (row_) row_->start(work_left_);
      for (const Mutation& mutation : all.seen()) {
        if (changes_no_failing_output(mutation, failing_) || is_refuted(mutation)) continue;
        const FailingRow::Finding finding =
            row_ ? row_->compare(mutation, work_left_) : FailingRow::Finding{};
        if (finding.may_explain)
          try_mutation(mutation, right, search.found);
        else if (finding.is_refuted)
          refute(mutation);
      }
    } catch (const mutations::WorkLimitReached&) {
      search.is_complete = false;
    }
    keep_closest(search.found);
    return search;
  }

 private:
  void try_mutation(const Mutation& mutation, const std::vector<StoredTensor>& right,
                    std::vector<AgreeingMutation>& found) {
    Sites sites(mutation);
    sites.limit(work_left_);
    const std::vector<StoredTensor> mistaken = run_plain(c_, inputs_, style_, sites);
    Explanation explanation = explain(failing_, mistaken, right);
    keep_plausible_outputs(c_, failing_, mistaken, mutation, explanation);
    if (!explanation.outputs.empty())
      confirm(mutation);
    else if (!is_hidden(failing_, mistaken, right))
      refute(mutation);
    if (explanation.outputs.empty() ||
        spoils_passing_output(explanation, passing_, mistaken, right))
      return;
    found.push_back({mutation, Diagnosis{.what = mistake_name(mutation),
                                         .ulps = explanation.ulps,
                                         .outputs = std::move(explanation.outputs)}});
  }

  bool is_refuted(const Mutation& mutation) const {
    return earlier_.refuted != nullptr &&
           earlier_.refuted->has(mutation, failed_, earlier_.case_number);
  }
  void refute(const Mutation& mutation) {
    if (earlier_.refuted != nullptr) earlier_.refuted->add(mutation, failed_, earlier_.case_number);
  }
  void confirm(const Mutation& mutation) {
    if (earlier_.refuted != nullptr) earlier_.refuted->confirm(mutation, earlier_.case_number);
  }

  Case c_;
  EvalInputs inputs_;
  const std::vector<FailingOutput>&failing_, &passing_;
  EarlierCases earlier_;
  plain::Style style_;
  FailedPasses failed_ = {};
  std::optional<FailingRow> row_;
  std::uint64_t work_left_;
};

}  // namespace

std::uint64_t search_work_limit(const CaseResult& result) {
  std::uint64_t elements = 0;
  for (const TensorResult& tensor : result.tensors) elements += tensor.count;
  return kMinWork + kWorkPerElement * elements;
}

MutationSearch find_agreeing_mutations(const StoredCase& stored,
                                       const std::vector<FailingOutput>& failing,
                                       std::uint64_t work_limit,
                                       const std::vector<FailingOutput>& passing,
                                       const EarlierCases& earlier, const plain::Style& style) {
  if (failing.empty()) return {};
  return Search(stored, failing, work_limit, passing, earlier, style).run();
}

}  // namespace normproof::verification::golden::gate
