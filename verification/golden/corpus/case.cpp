#include "verification/golden/corpus/case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::corpus {

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::quick:
      return "quick";
    case Tier::standard:
      return "standard";
    case Tier::full:
      return "full";
    case Tier::user:
      return "own";
  }
  ref::numeric::contract_failure("to_string", "tier", "is no enumerator", "one of Tier");
}

Tier parse_tier(std::string_view name) {
  std::vector<std::string> known;
  for (const Tier tier : {Tier::quick, Tier::standard, Tier::full}) {
    if (to_string(tier) == name) return tier;
    known.emplace_back(to_string(tier));
  }
  throw ref::numeric::UsageError(ref::numeric::unknown_name("tier", name, known));
}

ref::model::StorageFormat storage_format(DType dtype) {
  return ref::io::float_type(dtype).value_or(ref::model::StorageFormat::float64);
}

std::string case_operation_name(const Case& c) {
  return ref::model::operation_name(c.options);
}

std::string case_folder(const Case& c) {
  const StoredTensor* const x = main_input(c);
  return fmt::format("{}/{}/{}-{}-{}", to_string(c.tier), case_operation_name(c), c.reason,
                     x == nullptr ? std::string() : fmt::format("{}", fmt::join(x->shape, "x")),
                     ref::io::to_string(c.dtype));
}

const StoredTensor* find(const std::vector<StoredTensor>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

const StoredTensor* main_input(const Case& c) {
  for (const char* name : {"x", "tokens", "parameter", "q", "logits", "o"})
    if (const StoredTensor* const tensor = find(c.inputs, name)) return tensor;
  return nullptr;
}

}  // namespace normproof::verification::golden::corpus
