#include "verification/golden/gate/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "ref/model/attention_states.hpp"
#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/compare/ulp.hpp"
#include "verification/golden/candidate/program_candidate.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::gate {

using candidate::CandidateOutput;
using candidate::make_program_candidate;
using certify::read_case;
using corpus::case_folder;
using corpus::DType;
using corpus::find;
using corpus::is_encoder;
using corpus::is_optimizer;
using corpus::is_transformer;
using corpus::main_input;
using ref::model::Independence;
using ref::model::Mode;
using ref::model::OperandInfo;
using ref::model::OperationInfo;

namespace {

using Samples = std::vector<std::size_t>;

constexpr std::pair<Relation, const char*> kRelations[] = {{Relation::repeat, "repeat"},
                                                           {Relation::memory, "memory"},
                                                           {Relation::split, "split"},
                                                           {Relation::permute, "permute"},
                                                           {Relation::neighbour, "neighbour"}};

/// The axis that counts the samples of a case, and the number of samples. A case of an encoder, of
/// a whole Transformer or of an optimizer counts as one sample. The samples of
/// merge_attention_states are its splits, whose order does not change the result.
struct SampleAxis {
  std::size_t axis = 0, count = 0;
};

bool merges_splits(const Case& c) {
  return corpus::has_operation<ref::model::MergeAttentionStatesOptions>(c);
}

SampleAxis sample_axis(const Case& c) {
  if (is_encoder(c) || is_transformer(c) || is_optimizer(c)) return {0, 1};
  const std::size_t axis = c.sequence ? 1 : 0;
  return {axis, main_input(c)->shape.at(axis)};
}

/// Returns the description of the input or output of that name, or null if the operation has none.
const OperandInfo* find_operand_info(const OperationInfo& info, std::string_view name) {
  for (const auto* entries : {&info.operands, &info.outputs}) {
    const auto found = std::ranges::find(*entries, name, &OperandInfo::name);
    if (found != entries->end()) return &*found;
  }
  return nullptr;
}

/// Whether tensors of the dtype may have NaN.
bool has_nan(DType dtype) {
  const auto type = ref::io::float_type(dtype);
  return type && float_format_info(*type).has_nan;
}

/// Whether a tensor of the case has an axis of samples. The low part of an output ("y_lo") and the
/// scales of blocks and groups have one if the tensor to which they belong has one. A bias of
/// attention that is the same for all samples has none.
bool has_samples(const Case& c, const StoredTensor& tensor) {
  if (tensor.dtype == DType::float8_e8m0fnu) return true;
  std::string_view name = tensor.name;
  if (name.ends_with("_lo")) name.remove_suffix(3);
  if (corpus::is_name_of_scale(name)) return tensor.shape.size() > 1;
  // The merged log_sum_exp has the name of an input, and one axis less.
  if (merges_splits(c))
    return name == "o" || name == "grad_o" || name == "grad_log_sum_exp" ||
           (name == ref::model::kStateLogarithms &&
            tensor.shape.size() + 1 == main_input(c)->shape.size());
  const OperandInfo* const described =
      find_operand_info(ref::model::operation_info(c.options), name);
  if (described == nullptr || !described->has_samples()) return false;
  const auto [axis, count] = sample_axis(c);
  return !described->shape.starts_with("[B or 1") || tensor.shape.at(axis) == count;
}

/// Returns a tensor that consists of the given samples of `tensor`, in the given order.
StoredTensor select_samples(const StoredTensor& tensor, std::size_t axis, const Samples& samples) {
  StoredTensor selected{tensor.name, tensor.dtype, tensor.shape, {}};
  selected.shape.at(axis) = samples.size();
  std::size_t inner = ref::io::item_size(tensor.dtype), outer = 1;
  for (std::size_t a = 0; a < tensor.shape.size(); ++a)
    (a < axis ? outer : inner) *= a == axis ? 1 : tensor.shape[a];
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::size_t sample : samples) {
      const auto begin = tensor.bytes.begin() +
                         static_cast<std::ptrdiff_t>((o * tensor.shape[axis] + sample) * inner);
      selected.bytes.insert(selected.bytes.end(), begin,
                            begin + static_cast<std::ptrdiff_t>(inner));
    }
  return selected;
}

/// Returns a case that consists of the given samples of `stored`, in the given order.
StoredCase restrict_to_samples(const StoredCase& stored, const Samples& samples) {
  StoredCase other = stored;
  Case& c = other.description.c;
  const std::size_t axis = sample_axis(c).axis;
  for (StoredTensor& tensor : c.inputs)
    if (has_samples(stored.description.c, tensor)) tensor = select_samples(tensor, axis, samples);
  for (StoredTensor& tensor : other.expected)
    if (has_samples(stored.description.c, tensor)) tensor = select_samples(tensor, axis, samples);
  other.description.path = case_folder(c);
  return other;
}

/// Returns a copy of the case in which the first sample of the main input (x, or q of attention) is
/// all NaN.
StoredCase fill_first_sample_with_nan(const StoredCase& stored) {
  StoredCase other = stored;
  Case& c = other.description.c;
  for (StoredTensor& tensor : c.inputs) {
    if (tensor.name != main_input(stored.description.c)->name) continue;
    const auto [axis, count] = sample_axis(c);
    const std::vector<std::size_t>& shape = tensor.shape;
    const std::size_t inner = std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                              shape.end(), std::size_t{1}, std::multiplies<>());
    std::vector<double> values = ref::io::widen(tensor);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i / inner % count == 0) values[i] = std::numeric_limits<double>::quiet_NaN();
    tensor = ref::io::make_tensor(tensor.name, tensor.dtype, shape, values);
  }
  return other;
}

/// Describes the first element that has different bits in the two tensors. All NaNs count as equal.
/// Returns nothing if the tensors agree.
std::optional<std::string> difference(const StoredTensor& a, const StoredTensor& b,
                                      const char* there) {
  if (a.dtype != b.dtype || a.shape != b.shape)
    return fmt::format("{} is {} {}, and {} {} {}", a.name, ref::io::to_string(a.dtype),
                       ref::tensor::to_string(a.shape), ref::io::to_string(b.dtype),
                       ref::tensor::to_string(b.shape), there);
  const std::vector<double> first = ref::io::widen(a), second = ref::io::widen(b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (checks::compare::is_same_number(first[i], second[i])) continue;
    return fmt::format("{} at {} is {}, and {} {}", a.name,
                       ref::tensor::index_to_string(i, a.shape), first[i], second[i], there);
  }
  return std::nullopt;
}

/// Compares every tensor of the first list of outputs with the tensor of the same name in the
/// second list.
std::optional<std::string> difference(const std::vector<StoredTensor>& first,
                                      const std::vector<StoredTensor>& second, const char* there) {
  for (const StoredTensor& tensor : first) {
    const StoredTensor* const other = find(second, tensor.name);
    if (other == nullptr) return fmt::format("{} is absent {}", tensor.name, there);
    if (auto found = difference(tensor, *other, there)) return found;
  }
  return std::nullopt;
}

struct RelationVerdict {
  RelationOutcome outcome;
  std::string sentence;  ///< what differs, if the relation is broken
};
const RelationVerdict kNotApplicable = {RelationOutcome::not_applicable, ""};
const RelationVerdict kDeclined = {RelationOutcome::declined, ""};

/// Returns the verdict `broken` with the sentence `found`. If `found` is empty, returns `held`.
RelationVerdict make_verdict_from_sentence(std::string found) {
  const auto outcome = found.empty() ? RelationOutcome::held : RelationOutcome::broken;
  return {outcome, std::move(found)};
}

/// Checks the relations of one case by running a candidate on variants of it.
class RelationChecker {
 public:
  RelationChecker(const StoredCase& stored, const RelationCandidates& candidates)
      : stored_(stored), candidates_(candidates), axis_(sample_axis(stored.description.c)) {
    const Case& c = stored.description.c;
    const OperationInfo& info = ref::model::operation_info(c.options);
    const bool by_running_statistics = !info.state.empty() && c.mode == Mode::inference;
    by_sample_ = axis_.count > 1 && !corpus::has_one_scale_of_y(c) &&
                 (info.independence != Independence::none || by_running_statistics);
    for (const OperandInfo& output : info.outputs) {
      const StoredTensor* const input =
          output.name.starts_with("grad_") ? find(c.inputs, output.name.substr(5)) : nullptr;
      const bool is_gradient = output.name.starts_with("grad_") && output.has_samples() &&
                               (input == nullptr || has_samples(c, *input));
      if (is_gradient || output.name == "y" || output.name == "sum")
        sample_outputs_.push_back(output.name);
      if (output.name == "y") sample_outputs_.emplace_back("y_scale");
    }
  }

  RelationVerdict check(Relation relation) {
    if (!whole_output_ && missing_output_.empty()) query_whole_case();
    if (!missing_output_.empty()) return {RelationOutcome::broken, missing_output_};
    if (whole_output_->is_declined()) return kDeclined;
    switch (relation) {
      case Relation::repeat:
        if (axis_.count > 1) candidates_.query(restrict_to_samples(stored_, reversed()));
        return make_verdict_from_sentence(
            compare_with_whole_case(candidates_.query(stored_), "the second time"));
      case Relation::memory:
        return make_verdict_from_sentence(compare_with_whole_case(
            candidates_.with_filled_memory(stored_), "where new memory is filled"));
      case Relation::split:
        return split();
      case Relation::permute:
        return permute();
      case Relation::neighbour:
        return neighbour();
    }
    ref::numeric::contract_failure("check_relations", "relation", "is no enumerator",
                                   "one of Relation");
  }

 private:
  /// Runs the candidate once on the whole case. All five relations use the outputs of this run. If
  /// this run fails, no relation can be checked. The candidate is then not run again for each
  /// relation, because a program may need a long time to fail.
  void query_whole_case() {
    try {
      whole_output_ = candidates_.query(stored_);
    } catch (const ref::numeric::FileError& error) {
      missing_output_ = error.what();
    }
  }

  const std::vector<StoredTensor>& whole() const { return whole_output_->tensors(); }

  std::string compare_with_whole_case(const CandidateOutput& again, const char* there) const {
    if (again.is_declined()) return fmt::format("the case is declined {}", there);
    return difference(whole(), again.tensors(), there).value_or("");
  }

  /// Compares samples of two sets of outputs: the outputs for the whole case, and `answer`, the
  /// outputs for a variant. Sample `in_whole[i]` of the whole case is compared with sample
  /// `in_answer[i]` of the variant. Returns a sentence about the first difference, or "" if there
  /// is none.
  std::string compare_samples(const Samples& in_whole, const std::vector<StoredTensor>& answer,
                              const Samples& in_answer, const char* there) const {
    for (const std::string& name : sample_outputs_) {
      const StoredTensor* const first = find(whole(), name);
      const StoredTensor* const second = find(answer, name);
      if (first == nullptr) continue;
      if (second == nullptr) return fmt::format("{} is absent {}", name, there);
      for (const StoredTensor* tensor : {first, second})
        if (tensor->shape.size() <= axis_.axis)
          return fmt::format("{} has shape {}", name, ref::tensor::to_string(tensor->shape));
      const std::size_t have = second->shape[axis_.axis];
      if (first->shape[axis_.axis] != axis_.count || std::ranges::max(in_answer) >= have)
        return fmt::format("{} has {} samples {}", name, have, there);
      if (const auto found = difference(select_samples(*first, axis_.axis, in_whole),
                                        select_samples(*second, axis_.axis, in_answer), there))
        return *found;
    }
    return "";
  }

  RelationVerdict split() {
    if (!by_sample_) return kNotApplicable;
    const std::size_t half = (axis_.count + 1) / 2;
    for (const auto& [begin, end] :
         {std::pair(std::size_t{0}, half), std::pair(half, axis_.count)}) {
      const Samples in_whole = range(begin, end), alone = range(0, end - begin);
      const CandidateOutput output = candidates_.query(restrict_to_samples(stored_, in_whole));
      if (output.is_declined()) return kDeclined;
      std::string found =
          compare_samples(in_whole, output.tensors(), alone, "in half of the batch");
      if (!found.empty()) return make_verdict_from_sentence(std::move(found));
    }
    return make_verdict_from_sentence("");
  }

  RelationVerdict permute() {
    if (axis_.count < 2) return kNotApplicable;
    const StoredCase other = restrict_to_samples(stored_, reversed());
    const CandidateOutput output = candidates_.query(other);
    if (output.is_declined()) return kDeclined;
    if (by_sample_)
      return make_verdict_from_sentence(
          compare_samples(reversed(), output.tensors(), range(0, axis_.count), "in reverse order"));
    const CaseResult result =
        check_case(other, output.tensors(), {.outputs = {"y", "grad_x", "loss", "grad_logits"}});
    for (const TensorResult& tensor : result.tensors)
      if (!tensor.passed())
        return make_verdict_from_sentence(
            tensor.problem.empty()
                ? fmt::format("{} at {} is {} in reverse order; expected {} within {:.3g}",
                              tensor.name, tensor.where, tensor.got, tensor.exact, tensor.bound)
                : tensor.problem);
    return make_verdict_from_sentence("");
  }

  RelationVerdict neighbour() {
    const Case& c = stored_.description.c;
    if (!by_sample_ || !has_nan(c.dtype) || !has_nan(main_input(c)->dtype)) return kNotApplicable;
    const Samples others = range(1, axis_.count);
    const CandidateOutput output = candidates_.query(fill_first_sample_with_nan(stored_));
    if (output.is_declined()) return kDeclined;
    return make_verdict_from_sentence(
        compare_samples(others, output.tensors(), others, "beside a sample of NaN"));
  }

  Samples reversed() const {
    Samples samples = range(0, axis_.count);
    std::ranges::reverse(samples);
    return samples;
  }

  static Samples range(std::size_t begin, std::size_t end) {
    Samples samples(end - begin);
    std::iota(samples.begin(), samples.end(), begin);
    return samples;
  }

  const StoredCase& stored_;
  const RelationCandidates& candidates_;
  SampleAxis axis_;
  /// Whether each sample can be computed without the others, because no statistic is computed from
  /// several samples.
  bool by_sample_ = false;
  std::vector<std::string> sample_outputs_;  ///< the outputs that are compared sample by sample
  /// The outputs for the whole case. Absent if the candidate was not run yet or failed.
  std::optional<CandidateOutput> whole_output_;
  /// Why the candidate returned no outputs for the whole case, or empty.
  std::string missing_output_;
};

RelationResult make_broken_result(const std::string& path, Relation relation,
                                  std::string sentence) {
  return {.path = path,
          .relation = relation,
          .outcome = RelationOutcome::broken,
          .sentence = std::move(sentence)};
}

RelationResult check_relation(const std::string& path, Relation relation,
                              RelationChecker& checker) {
  try {
    RelationVerdict verdict = checker.check(relation);
    return {.path = path,
            .relation = relation,
            .outcome = verdict.outcome,
            .sentence = std::move(verdict.sentence)};
  } catch (const ref::numeric::FileError& error) {
    return make_broken_result(path, relation, error.what());
    // For example, an int64 that a double cannot represent.
  } catch (const ref::numeric::ContractError& error) {
    return make_broken_result(path, relation, sentence(error.violation()));
  }
}

}  // namespace

std::string_view to_string(Relation relation) {
  for (const auto& [listed, name] : kRelations)
    if (listed == relation) return name;
  ref::numeric::contract_failure("to_string", "relation", "is no enumerator", "one of Relation");
}

std::vector<Relation> all_relations() {
  std::vector<Relation> all;
  for (const auto& entry : kRelations) all.push_back(entry.first);
  return all;
}

Relation parse_relation(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [relation, listed] : kRelations) {
    if (listed == name) return relation;
    known.emplace_back(listed);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("relation", name, known));
}

RelationCandidates make_relation_candidates(
    const std::string& command, double seconds,
    const std::function<void(const std::string&)>& on_standard_error) {
  // glibc fills the memory returned by malloc with the complement of 128, 0x7f. The fill reads as
  // 1.4e306 in float64 and as 3.4e38 in float32. Up to four variants of a case may end the program
  // before the next case begins.
  constexpr int kMaxConsecutiveStarts = 6;
  return {make_program_candidate(command, seconds, kMaxConsecutiveStarts, on_standard_error),
          make_program_candidate("MALLOC_PERTURB_=128; export MALLOC_PERTURB_; " + command, seconds,
                                 kMaxConsecutiveStarts, on_standard_error)};
}

std::vector<RelationResult> check_relations(const std::filesystem::path& golden,
                                            const std::vector<CaseDescription>& cases,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations,
                                            const std::function<void(std::size_t done)>& finished) {
  std::vector<RelationResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::ranges::move(check_relations(read_case(golden, cases[i]), candidates, relations),
                      std::back_inserter(results));
    if (finished) finished(i + 1);
  }
  return results;
}

std::vector<RelationResult> check_relations(const StoredCase& stored,
                                            const RelationCandidates& candidates,
                                            const std::vector<Relation>& relations) {
  RelationChecker checker(stored, candidates);
  std::vector<RelationResult> results;
  results.reserve(relations.size());
  for (const Relation relation : relations)
    results.push_back(check_relation(stored.description.path, relation, checker));
  return results;
}

}  // namespace normproof::verification::golden::gate
