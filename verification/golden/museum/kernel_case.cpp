#include "verification/golden/museum/kernel_case.hpp"

#include <numeric>
#include <utility>
#include <variant>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::museum {

using corpus::find;
using mutations::Mutation;
using mutations::Sites;
using plain::PlainShape;

namespace {

PlainShape shape_of(const Case& c) {
  const StoredTensor* const x = find(c.inputs, corpus::is_optimizer(c) ? "parameter" : "x");
  if (x == nullptr) return {};
  std::vector<std::size_t> shape = x->shape;
  if (c.sequence && !corpus::is_optimizer(c)) shape.erase(shape.begin());
  if (shape.size() == 1) return {1, 1, shape[0]};
  const std::size_t tokens =
      std::accumulate(shape.begin() + 1, shape.end() - 1, std::size_t{1}, std::multiplies<>());
  return {shape[0], tokens, shape.back()};
}

std::vector<StoredTensor> run_plain_implementation(const Case& c, Mutation mutation) {
  Sites sites(std::move(mutation));
  return plain::run_plain(c, recipes::inputs_of(c), {}, sites);
}

}  // namespace

KernelCase::KernelCase(const Case& c, Mutation mutation) : c_(c), shape_(shape_of(c)) {
  for (const StoredTensor& tensor : c.inputs) in_[tensor.name] = ref::io::widen(tensor);
  for (const StoredTensor& tensor : run_plain_implementation(c, std::move(mutation)))
    out_[tensor.name] = {tensor.dtype, tensor.shape, ref::io::widen(tensor)};
}

const Values& KernelCase::in(const std::string& name) const {
  const auto found = in_.find(name);
  return found == in_.end() ? nothing_ : found->second;
}

Values& KernelCase::out(const std::string& name) {
  const auto found = out_.find(name);
  if (found != out_.end()) return found->second.values;
  nothing_.clear();
  return nothing_;
}

std::vector<StoredTensor> KernelCase::answer() const {
  std::vector<StoredTensor> tensors;
  mutations::Sites right;
  for (const auto& [name, output] : out_)
    tensors.push_back(
        plain::stored_tensor(name, output.dtype, output.shape, output.values, {}, right));
  return tensors;
}

std::vector<StoredTensor> run_with_mutation(const Case& c, Mutation mutation) {
  return run_plain_implementation(c, std::move(mutation));
}

double norm_eps(const Case& c) {
  return std::visit(
      [](const auto& options) {
        if constexpr (requires { options.eps; }) return static_cast<double>(options.eps);
        return 0.0;
      },
      std::get<ref::model::NormOptions>(c.options));
}

Kernel mutate(const char* site, mutations::MutationOperator op) {
  return [=](const Case& c, const KernelEnvironment&) { return run_with_mutation(c, {site, op}); };
}

double rounded(double v, StorageFormat format) {
  return ref::numeric::round_to(ref::numeric::float_format_info(format), v);
}

double rounded_sum(StorageFormat format, std::span<const double> terms) {
  double total = 0;
  for (const double term : terms) total = rounded(total + rounded(term, format), format);
  return total;
}

double sum_of(std::span<const double> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

}  // namespace normproof::verification::golden::museum
