#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/plain/plain_norms.hpp"

namespace normproof::verification::golden::plain {

/// A function that rounds a number to the dtype in which a case stores it.
template <class T>
using Stored = std::function<T(T)>;

/// The norm of x + residual, written with simple loops. It uses the norm layers of plain_norms.hpp.
/// The prefix "norm: " is added to the names of their sites for injected errors.
template <class T>
class PlainAddNorm {
 public:
  using Numbers = std::vector<T>;
  using Results = std::map<std::string, Numbers>;

  /// The function `stored` is applied to intermediate results. It rounds them to the dtype of the
  /// case if the style stores them. Otherwise it returns them unchanged.
  PlainAddNorm(const PlainShape& shape, const ref::model::FunctionInputs& in,
               const PlainArithmetic<T>& arithmetic, Sites& sites, Stored<T> stored)
      : shape_(shape), in_(in), a_(arithmetic), sites_(sites), stored_(std::move(stored)) {
    for (const auto& [name, numbers] :
         {std::pair{"x", &x_}, {"residual", &residual_}, {"grad_y", &dy_}, {"grad_sum", &dsum_}}) {
      if (const auto* const tensor = in.tensors.find(name))
        for (const double v : *tensor) numbers->push_back(static_cast<T>(v));
      read_rows((std::string("reading ") + name).c_str(), shape_, *numbers, sites_);
    }
  }

  Results run(const model::NormOptions& layer) {
    Numbers sum(x_.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = stored_(sites_.term("x in the sum", x_[i]) +
                       sites_.term("residual in the sum", residual_[i]));
    Results results = norm(layer, sum);
    if (is(MutationOperator::insert, "residual in y"))
      for (std::size_t i = 0; i < sum.size(); ++i) results["y"][i] += residual_[i];
    if (!dy_.empty()) add_gradient(results["grad_x"]);
    store_sum(results, std::move(sum));
    for (auto& [name, values] : results) write_rows(name, shape_, values, sites_);
    return results;
  }

 private:
  bool is(MutationOperator op, const char* site) { return sites_.any(site, {op}) == op; }

  /// Returns y and the gradients of the norm.
  Results norm(const model::NormOptions& layer, const Numbers& sum) {
    constexpr const char* kPrefix = "norm: ";
    early_ = !dsum_.empty() && is(MutationOperator::other, "place of grad_sum");
    Numbers dy = dy_;
    if (early_)
      for (std::size_t i = 0; i < dy.size(); ++i) dy[i] += dsum_[i];
    const ref::model::NormInputs<double> inputs{.x = in_.tensors.at("x"),
                                                .gamma = parameter("gamma"),
                                                .beta = parameter("beta"),
                                                .grad_y = parameter("grad_y")};
    Results state;
    Sites own = sites_.part(kPrefix);
    PlainNormLayers<T> step(shape_, inputs, state, PlainArithmetic<T>(a_.style(), own));
    const bool of_x = is(MutationOperator::other, "sum in the norm");
    const bool statistics_of_x = is(MutationOperator::other, "sum in the statistics");
    step.replace_inputs(of_x ? x_ : sum, statistics_of_x ? x_ : Numbers(), std::move(dy));
    std::visit(step, layer);
    for (const Mutation& mutation : own.seen())
      if (can_change_output(mutation.site) && is_visible(mutation))
        sites_.any((kPrefix + mutation.site).c_str(), {mutation.op});
    Results results;
    for (auto& [name, values] : step.take())
      if (name == "y" || (name.starts_with("grad_") && in_.tensors.contains(name.substr(5))))
        results[name] = std::move(values);
    return results;
  }

  ref::tensor::Tensor<double> parameter(const char* name) const {
    const auto* const tensor = in_.tensors.find(name);
    return tensor == nullptr ? ref::tensor::Tensor<double>() : *tensor;
  }

  /// Whether an error that is injected at this site of the norm can change an output. The cases of
  /// x + residual have no mask, so that errors in reading a mask change nothing.
  static bool can_change_output(const std::string& site) {
    return site.find("returned") == std::string::npos && !site.starts_with("reading ") &&
           !site.starts_with("writing ") && site != "rows of the parameter gradients";
  }

  /// Whether the outputs have enough digits to show the mutation. Merging long blocks without the
  /// distances of their means changes a variance by about 1 / length.
  bool is_visible(const Mutation& mutation) const {
    constexpr std::size_t kLongBlock = 64;
    const bool merges = mutation.site == kMergedVariances;
    return a_.shows_single_terms() || !merges ||
           number_of_operator(kBlocks, mutation.op).value_or(0) < kLongBlock;
  }

  void add_gradient(Numbers& grad_x) {
    for (std::size_t i = 0; i < grad_x.size(); ++i) {
      grad_x[i] = sites_.term("gradient of the norm in grad_x", stored_(grad_x[i]));
      if (!dsum_.empty() && !early_) grad_x[i] += sites_.term("grad_sum in grad_x", dsum_[i]);
    }
  }

  /// Stores the output `sum`. Errors injected here change no other output.
  void store_sum(Results& results, Numbers sum) {
    switch (sites_.any("returned sum", {MutationOperator::other, MutationOperator::insert,
                                        MutationOperator::square, MutationOperator::negate})) {
      case MutationOperator::other:  // error: x, before the residual is added
        sum = x_;
        break;
      case MutationOperator::insert:  // error: the residual, before x is added
        sum = residual_;
        break;
      case MutationOperator::square:  // error: the residual is added twice
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += residual_[i];
        break;
      case MutationOperator::negate:
        for (T& v : sum) v = -v;
        break;
      default:
        break;
    }
    results["sum"] = std::move(sum);
  }

  PlainShape shape_;
  const ref::model::FunctionInputs& in_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  Stored<T> stored_;
  Numbers x_, residual_, dy_, dsum_;
  /// Whether an error is injected that adds grad_sum before the backward pass of the norm.
  bool early_ = false;
};

/// Returns the options of the norm that the function applies to the sum.
inline model::NormOptions norm_of_sum(const model::AddLayerNormOptions& o) {
  return model::LayerNormOptions{.eps = o.eps, .zero_centred_gamma = o.zero_centred_gamma};
}
inline model::NormOptions norm_of_sum(const model::AddRMSNormOptions& o) {
  return model::RMSNormOptions{.eps = o.eps, .zero_centred_gamma = o.zero_centred_gamma};
}

}  // namespace normproof::verification::golden::plain
