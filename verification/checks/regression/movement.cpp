#include "verification/checks/regression/movement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "ref/io/file_failure.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/compare/ulp.hpp"

namespace normproof::verification::checks::regression {

namespace {

OutputChange change_of_whole_case(const std::string& path, std::string what, Direction direction) {
  OutputChange movement;
  movement.path = path;
  movement.what = std::move(what);
  movement.direction = direction;
  return movement;
}

template <class Record>
std::map<std::string, const Record*> by_name(const std::vector<Record>& records,
                                             std::string Record::*name) {
  std::map<std::string, const Record*> result;
  for (const Record& record : records) result[record.*name] = &record;
  return result;
}

/// Returns a map from each name to a pair of pointers: to the record of this name in the first
/// list, and to the record of this name in the second list. A pointer is nullptr if the list has no
/// such record.
template <class Record>
std::map<std::string, std::pair<const Record*, const Record*>> pair_by_name(
    const std::vector<Record>& from, const std::vector<Record>& to, std::string Record::*name) {
  std::map<std::string, std::pair<const Record*, const Record*>> both;
  for (const auto& [key, record] : by_name(from, name)) both[key].first = record;
  for (const auto& [key, record] : by_name(to, name)) both[key].second = record;
  return both;
}

const StoredTensor& tensor_of(const std::vector<StoredTensor>& answer, const std::string& path,
                              const std::string& name) {
  const StoredTensor* const tensor = golden::corpus::find(answer, name);
  if (tensor == nullptr)
    ref::io::file_failure(path, name, "is not in the answer", "what the recording names");
  return *tensor;
}

void count_steps(const StoredTensor& before, const StoredTensor& after, OutputChange& movement) {
  if (before.dtype != after.dtype) {
    movement.what =
        fmt::format("{} -> {}", ref::io::to_string(before.dtype), ref::io::to_string(after.dtype));
    return;
  }
  const std::vector<double> from = ref::io::widen(before), to = ref::io::widen(after);
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    if (std::bit_cast<std::uint64_t>(from[i]) == std::bit_cast<std::uint64_t>(to[i])) continue;
    const std::uint64_t steps = count_representable_steps(from[i], to[i], before.dtype);
    if (movement.moved++ > 0 && steps <= movement.max_steps) continue;
    movement.max_steps = steps;
    movement.where = ref::tensor::index_to_string(i, before.shape);
  }
}

/// Returns the changed outputs of a case for which both recordings have outputs.
std::vector<OutputChange> changed_outputs(const History& history, const RecordedCase& from,
                                          const RecordedCase& to) {
  std::vector<OutputChange> movements;
  std::vector<StoredTensor> before, after;
  for (const auto& [name, both] : pair_by_name(from.outputs, to.outputs, &RecordedOutput::name)) {
    const auto& [old, fresh] = both;
    if (old != nullptr && fresh != nullptr && old->sha256 == fresh->sha256) continue;
    OutputChange movement;
    movement.path = from.path;
    movement.output = name;
    if (fresh == nullptr) {
      movement.what = "is gone";
      movement.direction = Direction::away;
    } else if (old == nullptr) {
      movement.what = "is new";
      movement.direction = Direction::towards;
    } else {
      if (before.empty()) {
        before = history.answer(from.answer_sha256);
        after = history.answer(to.answer_sha256);
      }
      movement.count = fresh->count;
      movement.before = old->error;
      movement.after = fresh->error;
      movement.direction = direction(old->error, fresh->error);
      count_steps(tensor_of(before, from.path, name), tensor_of(after, from.path, name), movement);
    }
    movements.push_back(std::move(movement));
  }
  return movements;
}

std::vector<OutputChange> changes_of_case(const History& history, const RecordedCase* from,
                                          const RecordedCase* to) {
  if (from == nullptr) return {change_of_whole_case(to->path, "is new", Direction::towards)};
  if (to == nullptr) return {change_of_whole_case(from->path, "is gone", Direction::away)};
  if (from->case_sha256 != to->case_sha256)
    return {change_of_whole_case(to->path,
                                 "is another case: its inputs or expected values have changed",
                                 Direction::neither)};
  if (from->problem.empty() && to->problem.empty()) return changed_outputs(history, *from, *to);
  if (from->problem.empty())
    return {change_of_whole_case(to->path, fmt::format("has no answer any more: {}", to->problem),
                                 Direction::away)};
  if (to->problem.empty())
    return {change_of_whole_case(to->path, "has an answer now", Direction::towards)};
  return {};
}

}  // namespace

std::size_t Change::count(Direction towards_or_away) const {
  return static_cast<std::size_t>(
      std::ranges::count(movements, towards_or_away, &OutputChange::direction));
}

std::uint64_t count_representable_steps(double a, double b, DType dtype) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : checks::compare::kInfiniteUlpDistance;
  if (dtype == DType::float64) return checks::compare::ulp_distance(a, b);
  if (!ref::io::is_float(dtype)) return static_cast<std::uint64_t>(std::fabs(a - b));
  // The bits of a non-negative number are its index among the numbers of the dtype.
  const auto place = [dtype](double x) {
    const StoredTensor one = ref::io::make_tensor("x", dtype, {}, std::vector{std::fabs(x)});
    std::int64_t steps = 0;
    for (std::size_t i = one.bytes.size(); i-- > 0;)
      steps = steps << 8 | std::to_integer<std::int64_t>(one.bytes[i]);
    return x < 0 ? -steps : steps;
  };
  const std::int64_t distance = place(a) - place(b);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

Change compare_recordings(const History& history, const Recording& from, const Recording& to) {
  Change change;
  const std::vector<RecordedCase> before = history.read_cases(from), after = history.read_cases(to);
  for (const auto& [path, both] : pair_by_name(before, after, &RecordedCase::path)) {
    const auto& [old, fresh] = both;
    std::vector<OutputChange> movements = changes_of_case(history, old, fresh);
    ++change.cases;
    change.moved_cases += movements.empty() ? 0 : 1;
    change.outputs += std::max(old == nullptr ? 0 : old->outputs.size(),
                               fresh == nullptr ? 0 : fresh->outputs.size());
    std::ranges::move(movements, std::back_inserter(change.movements));
  }
  return change;
}

}  // namespace normproof::verification::checks::regression
