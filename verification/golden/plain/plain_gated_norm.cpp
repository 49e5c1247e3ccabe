#include "verification/golden/plain/plain_gated_norm.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::usual_accumulation;

namespace {

/// RMSNorm of groups of features with a gate. Below, `v` is the input of the norm, `hat` is v
/// divided by the root of its mean square, and `a` is the activation of the gate.
template <class T>
class PlainGatedNorm {
 public:
  using Op = MutationOperator;
  using Numbers = std::vector<T>;

  PlainGatedNorm(const PlainShape& shape, const ref::model::FunctionInputs& in,
                 const ref::model::GatedRMSNormOptions& options, DType dtype, const Style& style,
                 Sites& sites)
      : shape_(shape),
        dtype_(dtype),
        options_(options),
        a_(style, sites, ref::io::item_size(dtype) > 2),
        sites_(sites),
        has_gamma_(in.tensors.contains("gamma")),
        has_beta_(in.tensors.contains("beta")) {
    for (const auto& [name, numbers] : {std::pair{"x", &x_}, {"gate", &gate_}, {"grad_y", &dy_}}) {
      copy(in, name, *numbers);
      read_rows((std::string("reading ") + name).c_str(), shape_, *numbers, sites_);
    }
    copy(in, "gamma", gamma_), copy(in, "beta", beta_);
    if (has_gamma_) read_parameter("reading gamma", gamma_, sites_);
    if (has_beta_) read_parameter("reading beta", beta_, sites_);
    if (!has_gamma_) gamma_.assign(shape_.d_model, T(1));
    if (!has_beta_) beta_.assign(shape_.d_model, T(0));
    before_ = (options.gate_position == ref::model::GatePosition::before) !=
              (sites_.any("place of the gate", {Op::other}) == Op::other);
    silu_ = (options.gate_activation == ref::model::GateActivation::silu) !=
            (sites_.any("activation of the gate", {Op::other}) == Op::other);
    width_ = shape_.d_model / static_cast<std::size_t>(options.groups);
  }

  std::map<std::string, Numbers> run() {
    for (const T z : gate_) activation_.push_back(stored(activation(z)));
    for (std::size_t i = 0; i < x_.size(); ++i)
      v_.push_back(before_
                       ? stored(x_[i] * sites_.factor("a(gate) before the norm", activation_[i]))
                       : x_[i]);
    normalize();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      norm_.push_back(stored(scaled(i)));
      y_.push_back(before_ ? norm_[i] : gated(i));
    }
    std::map<std::string, Numbers> out;
    if (!dy_.empty()) differentiate(out);
    out["y"] = std::move(y_);
    for (auto& [name, values] : out) write_rows(name, shape_, values, sites_);
    return out;
  }

 private:
  static void copy(const ref::model::FunctionInputs& in, const char* name, Numbers& numbers) {
    if (const auto* const tensor = in.tensors.find(name))
      for (const double v : *tensor) numbers.push_back(static_cast<T>(v));
  }

  /// Returns an intermediate result, rounded to the dtype of the case if the style stores it.
  T stored(T value) const {
    return a_.style().from_y ? static_cast<T>(ref::numeric::round_to(storage_format(dtype_),
                                                                     static_cast<double>(value)))
                             : value;
  }

  /// Returns the logistic sigmoid.
  T sigmoid(T z) {
    if (z > 88 && sites_.any("formula of s(gate)", {Op::overflowing}) == Op::overflowing)
      return adl_exp(z) / (1 + adl_exp(z));  // error: infinity / infinity
    if (!a_.style().divide) return a_.over(T(1), 1 + adl_exp(-z));
    const T e = adl_exp(z < 0 ? z : -z);
    return a_.over(z < 0 ? e : T(1), 1 + e);
  }
  T activation(T z) { return silu_ ? z * sites_.factor("s(gate)", sigmoid(z)) : sigmoid(z); }

  /// Returns the derivative of the activation.
  T slope(T z) {
    const T s = sigmoid(z);
    switch (sites_.any("derivative of the activation", {Op::other, Op::drop})) {
      case Op::other:  // error: the activation itself
        return silu_ ? z * s : s;
      case Op::drop:
        return T(1);
      default:
        break;
    }
    const T slope_of_s = s * (1 - sites_.term("s(gate) in the slope of s(gate)", s));
    if (!silu_) return slope_of_s;
    return sites_.term("s(gate) in grad_gate", s) +
           sites_.term("gate times the slope of s(gate)", z * slope_of_s);
  }

  /// Returns one slice of elements for each group of each row.
  Slices groups() {
    if (width_ == shape_.d_model) return cut_rows(shape_, width_);
    const Op op = width_ > 1 ? sites_.any("features of a group", {Op::whole_row, Op::other})
                             : sites_.any("features of a group", {Op::whole_row});
    if (op == Op::whole_row) return cut_rows(shape_, shape_.d_model);
    return op == Op::other ? cut_interleaved({shape_.rows(), 1, shape_.d_model}, width_)
                           : cut_rows(shape_, width_);
  }

  /// Computes hat_ and rstd_.
  void normalize() {
    hat_.resize(v_.size()), rstd_.resize(v_.size());
    slices_ = groups();
    Numbers reciprocals;
    for (std::vector<std::size_t> group : slices_) {
      const std::size_t kept = elements_of_first_block("elements of a group", group.size(), sites_);
      group.resize(kept);
      const T n = sites_.divisor("n of the statistic", count(group));
      const T square =
          a_.over(a_.sum("sum of squares", group, [&](std::size_t i) { return v_[i] * v_[i]; }), n);
      T eps = static_cast<T>(options_.eps);
      if (a_.shows_single_terms() || square < 4 * eps) eps = sites_.constant("eps", eps);
      reciprocals.push_back(a_.rstd(square, eps));
    }
    const std::size_t per_row = shape_.d_model / slices_.front().size();
    const Op neighbor =
        per_row > 1 ? sites_.any("group of the statistic", {Op::one_more, Op::drop}) : Op::none;
    for (std::size_t k = 0; k < slices_.size(); ++k) {
      const std::size_t first = k / per_row * per_row;
      const std::size_t from = neighbor == Op::one_more ? first + (k - first + 1) % per_row
                               : neighbor == Op::drop   ? first
                                                        : k;
      for (const std::size_t i : slices_[k]) {
        rstd_[i] = reciprocals[from];
        hat_[i] = stored(v_[i] * sites_.factor("rstd in x_hat", rstd_[i]));
      }
    }
  }

  T count(const std::vector<std::size_t>& group) const {
    return static_cast<T>(static_cast<double>(group.size()));
  }

  T gamma_at(const char* site, std::size_t i) {
    const std::size_t d = i % shape_.d_model;
    if (!has_gamma_) return T(1);
    const T& next = gamma_[(d + 1) % shape_.d_model];
    const T own = shape_.d_model > 1 ? sites_.pick(site, gamma_[d], next) : gamma_[d];
    if (width_ < shape_.d_model && sites_.any("gamma of a group", {Op::repeat_1}) == Op::repeat_1)
      return gamma_[d % width_];  // error: the gamma of the first group is used for all groups
    return sites_.factor(site, own);
  }
  T beta_at(std::size_t i) {
    return has_beta_ ? sites_.term("beta", beta_[i % shape_.d_model]) : T(0);
  }

  T scaled(std::size_t i) {
    if (has_beta_ && !before_ && sites_.any("place of beta", {Op::other}) == Op::other)
      return gamma_[i % shape_.d_model] * hat_[i];
    return a_.multiply_add(gamma_at("gamma", i), hat_[i], beta_at(i));
  }
  T gated(std::size_t i) {
    const T y = norm_[i] * sites_.factor("a(gate) behind the norm", activation_[i]);
    const bool late = has_beta_ && sites_.any("place of beta", {Op::other}) == Op::other;
    return late ? y + beta_[i % shape_.d_model] : y;  // error: beta is not multiplied by the gate
  }

  void differentiate(std::map<std::string, Numbers>& out) {
    Numbers t, g(x_.size()), grad_x(x_.size()), grad_gate(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      t.push_back(before_ ? dy_[i]
                          : stored(dy_[i] * sites_.factor("a(gate) in the gradient of the norm",
                                                          activation_[i])));
      g[i] = stored(gamma_at("gamma in grad_x", i) * sites_.term("grad_y in grad_x", t[i]));
    }
    const bool by_rows =
        width_ < shape_.d_model &&
        sites_.any("features of a group in the backward", {Op::whole_row}) == Op::whole_row;
    for (const std::vector<std::size_t>& group :
         by_rows ? cut_rows(shape_, shape_.d_model) : slices_) {
      const T n = sites_.divisor("n of the mean of g x_hat", count(group));
      const T c = a_.over(
          a_.sum("sum of g x_hat", group, [&](std::size_t i) { return g[i] * hat_[i]; }), n);
      for (const std::size_t i : group) {
        const T inner =
            g[i] - sites_.factor("x_hat in grad_x", hat_[i]) * sites_.term("mean of g x_hat", c);
        const T of_norm = stored(inner * sites_.factor("rstd in grad_x", rstd_[i]));
        grad_x[i] =
            before_ ? of_norm * sites_.factor("a(gate) in grad_x", activation_[i]) : of_norm;
        grad_gate[i] = gate_gradient(i, of_norm) * slope(gate_[i]);
      }
    }
    parameter_gradients(t, out);
    out["grad_x"] = std::move(grad_x);
    out["grad_gate"] = std::move(grad_gate);
  }

  /// Returns the gradient of the activation. `of_norm` is the gradient of v.
  T gate_gradient(std::size_t i, T of_norm) {
    if (before_)
      return stored(sites_.term("gradient of the norm in grad_gate", of_norm) *
                    sites_.factor("x in grad_gate", x_[i]));
    const bool bare = (has_gamma_ || has_beta_) &&
                      sites_.any("norm in grad_gate without gamma", {Op::other}) == Op::other;
    return stored(sites_.term("grad_y in grad_gate", dy_[i]) *
                  sites_.factor("norm in grad_gate", bare ? hat_[i] : norm_[i]));
  }

  void parameter_gradients(const Numbers& t, std::map<std::string, Numbers>& out) {
    const Slices columns = cut_columns(shape_);
    const bool ungated = !before_ && (has_gamma_ || has_beta_) &&
                         sites_.any("a(gate) in grad_gamma and grad_beta", {Op::drop}) == Op::drop;
    const auto upstream = [&](std::size_t i) { return ungated ? dy_[i] : t[i]; };
    for (const auto& column : columns) {
      if (has_gamma_)
        out["grad_gamma"].push_back(a_.sum("sum of grad_gamma", column, [&](std::size_t i) {
          return upstream(i) * sites_.pick("x_hat in grad_gamma", hat_[i], v_[i]);
        }));
      if (has_beta_) out["grad_beta"].push_back(a_.sum("sum of grad_beta", column, upstream));
    }
  }

  PlainShape shape_;
  DType dtype_;
  const ref::model::GatedRMSNormOptions& options_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  bool has_gamma_, has_beta_, before_ = false, silu_ = true;
  std::size_t width_ = 1;  ///< features of a group
  Numbers x_, gate_, dy_, gamma_, beta_;
  Numbers activation_, v_, rstd_, hat_, norm_, y_;
  Slices slices_;
};

}  // namespace

std::vector<StoredTensor> run_plain_gated_norm(const Case& c, const EvalInputs& inputs,
                                               const Style& style, Sites& sites) {
  const auto& options =
      std::get<ref::model::GatedRMSNormOptions>(std::get<ref::model::FunctionOptions>(c.options));
  const std::vector<std::size_t>& shape = find(c.inputs, "x")->shape;
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  const auto run = [&]<class T>(T) {
    std::vector<StoredTensor> tensors;
    PlainGatedNorm<T> norm({rows, 1, shape.back()}, inputs.function, options, c.dtype, style,
                           sites);
    for (const auto& [name, values] : norm.run()) {
      std::vector<std::size_t> own = shape;
      if (name == "grad_gamma" || name == "grad_beta") own = {shape.back()};
      tensors.push_back(
          stored_tensor(name, corpus::output_dtype(c, name), std::move(own), values, style, sites));
    }
    return tensors;
  };
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), run);
}

}  // namespace normproof::verification::golden::plain
