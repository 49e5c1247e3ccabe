#include "verification/golden/gate/simple_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "verification/golden/corpus/arithmetic.hpp"

namespace normproof::verification::golden::gate {

namespace {

using Values = std::vector<double>;

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Whether the rows, each `width` elements long, are all equal.
bool has_equal_rows(const Values& values, std::size_t width) {
  for (std::size_t i = width; i < values.size(); ++i)
    if (!is_same(values[i], values[i % width])) return false;
  return true;
}

/// Returns the name of an input whose elements the output has, rounded to its dtype; "" if there is
/// none. An input whose elements are all equal does not count: a constant has other causes.
std::string find_returned_input(const Case& c, const FailingOutput& f) {
  for (const StoredTensor& input : c.inputs) {
    if (!ref::io::is_float(input.dtype) || !ref::io::is_float(f.dtype)) continue;
    Values values = ref::io::widen(input);
    if (values.size() != f.got.size() || has_equal_rows(values, 1)) continue;
    for (double& v : values)
      v = ref::numeric::round_to(ref::numeric::float_format_info(corpus::storage_format(f.dtype)),
                                 v);
    if (std::ranges::equal(values, f.got, is_same)) return input.name;
  }
  return {};
}

/// Whether a column has the same finite number other than 0 in every row, although its exact values
/// differ. Zeros and NaN in a column have other causes than rows that do not depend on the input.
/// Requires  the rows, each `width` elements long, are equal
bool has_column_of_one_number(const FailingOutput& f, std::size_t width) {
  for (std::size_t i = width; i < f.got.size(); ++i)
    if (std::isfinite(f.got[i]) && f.got[i] != 0 && !is_same(f.exact[i], f.exact[i % width]))
      return true;
  return false;
}

/// Returns what is conspicuous about the values of the output, or "".
std::string describe_values(const Case& c, const FailingOutput& f) {
  const auto all = [&](const auto& holds) { return std::ranges::all_of(f.got, holds); };
  if (all([](double v) { return v == 0; })) return "every element is 0";
  if (all([](double v) { return std::isnan(v); })) return "every element is NaN";
  if (const std::string input = find_returned_input(c, f); !input.empty())
    return fmt::format("the input {} is returned", input);
  if (f.got.size() > 1 && has_equal_rows(f.got, 1) && !has_equal_rows(f.exact, 1))
    return fmt::format("every element is {:.9g}", f.got.front());
  const std::size_t width = f.shape.empty() ? 0 : f.shape.back();
  const bool has_rows = width > 1 && f.got.size() > width;
  if (has_rows && has_equal_rows(f.got, width) && has_column_of_one_number(f, width))
    return "every row is the same, whatever the input";
  return {};
}

}  // namespace

std::vector<Diagnosis> name_simple_answers(const Case& c,
                                           const std::vector<FailingOutput>& failing) {
  std::vector<Diagnosis> found;
  for (const FailingOutput& f : failing) {
    const std::string what = describe_values(c, f);
    if (what.empty()) continue;
    const auto known = std::ranges::find(found, what, &Diagnosis::what);
    if (known != found.end())
      known->outputs.push_back(f.name);
    else
      found.push_back({.what = what, .kind = Diagnosis::Kind::answer, .outputs = {f.name}});
  }
  return found;
}

}  // namespace normproof::verification::golden::gate
