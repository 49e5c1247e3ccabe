#include "verification/golden/gate/relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/compare/ulp.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::gate {

using certify::read_case;
using corpus::DType;
using corpus::find;
using corpus::is_encoder;
using corpus::is_optimizer;
using corpus::is_transformer;
using corpus::main_input;
using corpus::path_of;
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

/// Where the samples of a case are; an encoder is taken as one, and so are a whole
/// Transformer and a parameter.
struct SampleAxis {
  std::size_t axis = 0, count = 0;
};

SampleAxis sample_axis(const Case& c) {
  if (is_encoder(c) || is_transformer(c) || is_optimizer(c)) return {0, 1};
  const std::size_t axis = c.sequence ? 1 : 0;
  return {axis, main_input(c)->shape.at(axis)};
}

/// Returns the input or output of that name, or null.
const OperandInfo* find_described(const OperationInfo& info, std::string_view name) {
  for (const auto* entries : {&info.operands, &info.outputs}) {
    const auto found = std::ranges::find(*entries, name, &OperandInfo::name);
    if (found != entries->end()) return &*found;
  }
  return nullptr;
}

/// Whether a tensor of the case has an axis of samples. What is left of an output ("y_lo") and the
/// scales of blocks have the samples of what they belong to.
bool has_samples(const Case& c, const StoredTensor& tensor) {
  if (tensor.dtype == DType::float8_e8m0fnu) return true;
  std::string_view name = tensor.name;
  if (name.ends_with("_lo")) name.remove_suffix(3);
  const OperandInfo* const described = find_described(ref::model::operation_info(c.options), name);
  return described != nullptr && described->has_samples();
}

/// The samples of a tensor in that order.
StoredTensor take(const StoredTensor& tensor, std::size_t axis, const Samples& samples) {
  StoredTensor taken{tensor.name, tensor.dtype, tensor.shape, {}};
  taken.shape.at(axis) = samples.size();
  std::size_t inner = ref::io::item_size(tensor.dtype), outer = 1;
  for (std::size_t a = 0; a < tensor.shape.size(); ++a)
    (a < axis ? outer : inner) *= a == axis ? 1 : tensor.shape[a];
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::size_t sample : samples) {
      const auto begin = tensor.bytes.begin() +
                         static_cast<std::ptrdiff_t>((o * tensor.shape[axis] + sample) * inner);
      taken.bytes.insert(taken.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
    }
  return taken;
}

/// The question of `stored` about some of its samples, in that order.
StoredCase with_samples(const StoredCase& stored, const Samples& samples) {
  StoredCase other = stored;
  Case& c = other.description.c;
  const std::size_t axis = sample_axis(c).axis;
  for (StoredTensor& tensor : c.inputs)
    if (has_samples(c, tensor)) tensor = take(tensor, axis, samples);
  for (StoredTensor& tensor : other.expected)
    if (has_samples(c, tensor)) tensor = take(tensor, axis, samples);
  other.description.path = path_of(c);
  return other;
}

/// NaN in every element of x, or of q, of the first sample.
StoredCase with_nan(const StoredCase& stored) {
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

/// The first element whose bits differ; one NaN is as good as another.
std::optional<std::string> difference(const StoredTensor& a, const StoredTensor& b,
                                      const char* there) {
  if (a.dtype != b.dtype || a.shape != b.shape)
    return fmt::format("{} is {} {}, and {} {} {}", a.name, ref::io::to_string(a.dtype),
                       ref::tensor::to_string(a.shape), ref::io::to_string(b.dtype),
                       ref::tensor::to_string(b.shape), there);
  const std::vector<double> first = ref::io::widen(a), second = ref::io::widen(b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (checks::compare::same_number(first[i], second[i])) continue;
    return fmt::format("{} at {} is {}, and {} {}", a.name,
                       ref::tensor::index_to_string(i, a.shape), first[i], second[i], there);
  }
  return std::nullopt;
}

/// Every tensor of the one answer against that of the other.
std::optional<std::string> difference(const std::vector<StoredTensor>& first,
                                      const std::vector<StoredTensor>& second, const char* there) {
  for (const StoredTensor& tensor : first) {
    const StoredTensor* const other = find(second, tensor.name);
    if (other == nullptr) return fmt::format("{} is absent {}", tensor.name, there);
    if (auto found = difference(tensor, *other, there)) return found;
  }
  return std::nullopt;
}

struct Verdict {
  RelationOutcome outcome;
  std::string sentence;  ///< of a broken relation
};
const Verdict kNotApplicable = {RelationOutcome::not_applicable, ""};
const Verdict kDeclined = {RelationOutcome::declined, ""};

/// Held where nothing was found.
Verdict held_unless(std::string found) {
  const auto outcome = found.empty() ? RelationOutcome::held : RelationOutcome::broken;
  return {outcome, std::move(found)};
}

/// The answers about one case.
class Related {
 public:
  Related(const StoredCase& stored, const RelationAsks& asks)
      : stored_(stored), asks_(asks), axis_(sample_axis(stored.description.c)) {
    const Case& c = stored.description.c;
    const OperationInfo& info = ref::model::operation_info(c.options);
    const bool by_running_statistics = !info.state.empty() && c.mode == Mode::inference;
    by_sample_ =
        axis_.count > 1 && (info.independence != Independence::none || by_running_statistics);
    for (const OperandInfo& output : info.outputs) {
      const bool is_gradient = output.name.starts_with("grad_") && output.has_samples();
      if (is_gradient || output.name == "y" || output.name == "sum")
        sample_outputs_.push_back(output.name);
      if (output.name == "y") sample_outputs_.emplace_back("y_scale");
    }
  }

  Verdict check(Relation relation) {
    if (!whole_ && unanswered_.empty()) ask_whole();
    if (!unanswered_.empty()) return {RelationOutcome::broken, unanswered_};
    if (!*whole_) return kDeclined;
    switch (relation) {
      case Relation::repeat:
        if (axis_.count > 1) asks_.ask(with_samples(stored_, reversed()));
        return held_unless(same_as_whole(asks_.ask(stored_), "the second time"));
      case Relation::memory:
        return held_unless(same_as_whole(asks_.filled(stored_), "where new memory is filled"));
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
  /// Once: a case without an answer has none for any relation, and a program that is slow to fail
  /// is not asked five times.
  void ask_whole() {
    try {
      whole_ = asks_.ask(stored_);
    } catch (const ref::numeric::FileError& error) {
      unanswered_ = error.what();
    }
  }

  const std::vector<StoredTensor>& whole() const { return **whole_; }

  std::string same_as_whole(const Answer& again, const char* there) const {
    if (!again) return fmt::format("the case is declined {}", there);
    return difference(whole(), *again, there).value_or("");
  }

  /// What has samples among the outputs, of the whole at these samples, against those of an answer
  /// about them alone.
  std::string same_samples(const Samples& in_whole, const std::vector<StoredTensor>& answer,
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
      if (const auto found = difference(take(*first, axis_.axis, in_whole),
                                        take(*second, axis_.axis, in_answer), there))
        return *found;
    }
    return "";
  }

  Verdict split() {
    if (!by_sample_) return kNotApplicable;
    const std::size_t half = (axis_.count + 1) / 2;
    for (const auto& [begin, end] :
         {std::pair(std::size_t{0}, half), std::pair(half, axis_.count)}) {
      const Samples in_whole = range(begin, end), alone = range(0, end - begin);
      const Answer answer = asks_.ask(with_samples(stored_, in_whole));
      if (!answer) return kDeclined;
      std::string found = same_samples(in_whole, *answer, alone, "in half of the batch");
      if (!found.empty()) return held_unless(std::move(found));
    }
    return held_unless("");
  }

  Verdict permute() {
    if (axis_.count < 2) return kNotApplicable;
    const StoredCase other = with_samples(stored_, reversed());
    const Answer answer = asks_.ask(other);
    if (!answer) return kDeclined;
    if (by_sample_)
      return held_unless(
          same_samples(reversed(), *answer, range(0, axis_.count), "in reverse order"));
    const CaseResult result =
        check_case(other, *answer, {.outputs = {"y", "grad_x", "loss", "grad_logits"}});
    for (const TensorResult& tensor : result.tensors)
      if (!tensor.passed())
        return held_unless(
            tensor.problem.empty()
                ? fmt::format("{} at {} is {} in reverse order; expected {} within {:.3g}",
                              tensor.name, tensor.where, tensor.got, tensor.exact, tensor.bound)
                : tensor.problem);
    return held_unless("");
  }

  Verdict neighbour() {
    if (!by_sample_) return kNotApplicable;
    const Samples others = range(1, axis_.count);
    const Answer answer = asks_.ask(with_nan(stored_));
    if (!answer) return kDeclined;
    return held_unless(same_samples(others, *answer, others, "beside a sample of NaN"));
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
  const RelationAsks& asks_;
  SampleAxis axis_;
  bool by_sample_ = false;                   ///< no statistic runs over samples
  std::vector<std::string> sample_outputs_;  ///< y and what else is compared sample by sample
  std::optional<Answer> whole_;              ///< absent: not asked yet, or no answer
  std::string unanswered_;                   ///< why there is no answer
};

RelationResult result_of(const std::string& path, Relation relation, Related& related) {
  try {
    Verdict verdict = related.check(relation);
    return {path, relation, verdict.outcome, std::move(verdict.sentence)};
  } catch (const ref::numeric::FileError& error) {
    return {path, relation, RelationOutcome::broken, error.what()};
  } catch (const ref::numeric::ContractError& error) {  // an int64 that no double holds
    return {path, relation, RelationOutcome::broken, sentence(error.breach())};
  }
}

}  // namespace

std::string_view to_string(Relation relation) {
  for (const auto& [own, name] : kRelations)
    if (own == relation) return name;
  ref::numeric::contract_failure("to_string", "relation", "is no enumerator", "one of Relation");
}

std::vector<Relation> all_relations() {
  std::vector<Relation> all;
  for (const auto& entry : kRelations) all.push_back(entry.first);
  return all;
}

Relation relation_of(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [relation, own] : kRelations) {
    if (own == name) return relation;
    known.emplace_back(own);
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("relation", name, known));
}

RelationAsks relation_asks(const std::string& command, double seconds,
                           const std::function<void(const std::string&)>& complained) {
  // glibc fills what malloc gives with the complement, 0x7f: 1.4e306 as float64, 3.4e38 as float32.
  // Four variants of a case may each end the program before the next case is asked.
  constexpr int kStarts = 6;
  return {from_program(command, seconds, kStarts, complained),
          from_program("MALLOC_PERTURB_=128; export MALLOC_PERTURB_; " + command, seconds, kStarts,
                       complained)};
}

std::vector<RelationResult> check_relations(const std::filesystem::path& golden,
                                            const std::vector<CaseDescription>& cases,
                                            const RelationAsks& asks,
                                            const std::vector<Relation>& relations,
                                            const std::function<void(std::size_t done)>& finished) {
  std::vector<RelationResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::ranges::move(check_relations(read_case(golden, cases[i]), asks, relations),
                      std::back_inserter(results));
    if (finished) finished(i + 1);
  }
  return results;
}

std::vector<RelationResult> check_relations(const StoredCase& stored, const RelationAsks& asks,
                                            const std::vector<Relation>& relations) {
  Related related(stored, asks);
  std::vector<RelationResult> results;
  results.reserve(relations.size());
  for (const Relation relation : relations)
    results.push_back(result_of(stored.description.path, relation, related));
  return results;
}

}  // namespace normproof::verification::golden::gate
