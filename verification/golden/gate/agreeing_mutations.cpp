#include "verification/golden/gate/agreeing_mutations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"
#include "verification/golden/gate/agreement.hpp"
#include "verification/golden/gate/closest_mutations.hpp"
#include "verification/golden/gate/failing_row.hpp"
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

/// The largest distance, in ulps, between an output and the values of a mutation that still counts
/// as agreement, if the mutation has no error bound. An output of 16 bits was computed in more
/// digits.
constexpr double kMaxUlps = 1000, kMaxUlpsOfFewDigits = 4;
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
