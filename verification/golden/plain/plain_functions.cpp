#include "verification/golden/plain/plain_functions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_activations.hpp"
#include "verification/golden/plain/plain_add_norms.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_attention.hpp"
#include "verification/golden/plain/plain_cross_entropy.hpp"
#include "verification/golden/plain/plain_gated_norm.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_merge.hpp"
#include "verification/golden/plain/plain_one_pass.hpp"
#include "verification/golden/plain/plain_rope.hpp"
#include "verification/golden/plain/plain_rows.hpp"
#include "verification/golden/plain/plain_swiglu.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::has_operation;
using corpus::usual_accumulation;

namespace model = ref::model;
using Op = MutationOperator;

namespace {

/// The functions (softmax, activations and others), each written from its specification.
template <class T>
class PlainFunctions : public PlainActivations<T> {
 public:
  PlainFunctions(const PlainShape& shape, const ref::model::FunctionInputs& in, DType dtype,
                 const Style& style, Sites& sites)
      : PlainActivations<T>(PlainArithmetic<T>(style, sites, ref::io::item_size(dtype) > 2)),
        shape_(shape),
        dtype_(dtype),
        in_(in),
        is_included_(shape.size(), true) {
    if (in.tensors.contains("residual")) return;
    const auto copy = [&](const char* name, std::vector<T>& values) {
      if (const auto* const tensor = in.tensors.find(name))
        for (const double v : *tensor) values.push_back(static_cast<T>(v));
    };
    copy("x", x_);
    copy("gate", gate_);
    copy("grad_y", dy_);
    masked_ = ref::tensor::is_given(in.valid);
    if (masked_) is_included_.assign(in.valid.begin(), in.valid.end());
    read_rows("reading x", shape_, x_, sites_);
    read_rows("reading grad_y", shape_, dy_, sites_);
    read_rows("reading gate", shape_, gate_, sites_);
  }

  std::map<std::string, std::vector<T>> take() { return std::move(out_); }

  void operator()(const model::SoftmaxOptions&) {
    std::vector<T> y(x_.size()), grad(x_.size());
    for (const Row& row : rows()) {
      for (const std::size_t i : row.counted) y[i] = stored_y_for_backward(probability(row, i));
      const T c =
          a_.sum("sum of grad_y y", row.counted, [&](std::size_t i) { return dy_[i] * y[i]; });
      for (const std::size_t i : row.counted)
        grad[i] = sites_.factor("y in grad_x", y[i]) *
                  (sites_.term("grad_y in grad_x", dy_[i]) - sites_.term("sum of grad_y y", c));
    }
    store("y", std::move(y));
    store("grad_x", std::move(grad));
  }

  void operator()(const model::LogSoftmaxOptions&) {
    std::vector<T> y(x_.size()), grad(x_.size());
    for (const Row& row : rows()) {
      for (const std::size_t i : row.counted)
        y[i] = stored_y_for_backward(difference(x_[i], row.largest) -
                                     sites_.term("log of the sum", adl_log(row.sum)));
      const T c = a_.sum("sum of grad_y", row.counted, [&](std::size_t i) { return dy_[i]; });
      for (const std::size_t i : row.counted)
        grad[i] = sites_.term("grad_y in grad_x", dy_[i]) -
                  sites_.factor("exp(y) in grad_x", exp(y[i])) * sites_.term("sum of grad_y", c);
    }
    store("y", std::move(y));
    store("grad_x", std::move(grad));
  }

  void operator()(const model::LogSumExpOptions&) {
    std::vector<T> y, grad(x_.size());
    for (const Row& row : rows(false)) {
      y.push_back(stored_y_for_backward(sites_.term("largest element, added back", row.largest) +
                                        sites_.term("log of the sum", adl_log(row.sum))));
      for (const std::size_t i : row.counted) {
        const T p = a_.style().from_y ? exp(x_[i] - y.back()) : probability(row, i);
        grad[i] = dy_[row.number] * sites_.factor("softmax in grad_x", p);
      }
    }
    store("y", std::move(y));
    store("grad_x", std::move(grad));
  }

  void operator()(const model::ReluOptions&) {
    std::vector<T> y(x_.size()), grad(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Op below = sites_.any("values below 0", {Op::drop, Op::negate, Op::half_precision});
      y[i] = x_[i] > 0                     ? x_[i]
             : below == Op::drop           ? x_[i]
             : below == Op::negate         ? -x_[i]
             : below == Op::half_precision ? x_[i] / 128
                                           : T(0);
      const bool at_0 = sites_.any("derivative at 0", {Op::other}) == Op::other && x_[i] == 0;
      const bool passes = sites_.any("derivative", {Op::drop}) == Op::drop || x_[i] > 0 || at_0;
      grad[i] = passes ? sites_.term("grad_y in grad_x", dy_[i]) : T(0);
    }
    store("y", std::move(y), false);
    store("grad_x", std::move(grad));
  }

  void operator()(const model::GeluOptions&) {
    activation([&](T x) { return this->gate(x, "formula of the gate"); },
               [&](T x) { return density(x); });
  }
  void operator()(const model::GeluTanhOptions&) {
    activation([&](T x) { return tanh_gate(x); }, [&](T x) { return tanh_slope(x); });
  }
  template <class Options>
  requires requires(PlainFunctions& f, const Options& o) { f.plain(o); }
  void operator()(const Options& options) { apply_pointwise(this->plain(options)); }
  void operator()(const model::SiluOptions&) { apply_gate(sigmoid()); }
  void operator()(const model::SwigluOptions& o) { apply_gate(sigmoid(), o); }
  void operator()(const model::GegluOptions&) { apply_gate(normal_distribution()); }
  void operator()(const model::AddLayerNormOptions& o) { add_and_norm(norm_of_sum(o)); }
  void operator()(const model::AddRMSNormOptions& o) { add_and_norm(norm_of_sum(o)); }
  void operator()(const model::QuantizeOptions&) { copy(); }
  void operator()(const model::DequantizeOptions&) { copy(); }
  void operator()(const model::L2NormOptions& o) {
    std::vector<T> y(x_.size()), grad(x_.size());
    const bool turned = sites_.any("axis of the sum", {Op::other}) == Op::other;
    for (const auto& slice : turned ? cut_columns(shape_) : cut_rows(shape_, shape_.d_model))
      run_l2_row(o, slice, y, grad);
    store("y", std::move(y));
    store("grad_x", std::move(grad));
  }

 private:
  using Base = PlainActivations<T>;
  using Base::a_;
  using Base::density;
  using Base::exp;
  using Base::normal_distribution;
  using Base::sigmoid;
  using Base::sites_;
  using Base::tanh_gate;
  using Base::tanh_slope;
  using typename Base::GateFunction;

  struct Row {
    std::size_t number = 0;
    std::vector<std::size_t> counted;
    T largest = 0, sum = 0;
  };

  /// Computes quantize or dequantize, which are the identity on real numbers.
  void copy() {
    store("y", x_);
    std::vector<T> grad;
    for (const T dy : dy_) grad.push_back(sites_.term("grad_y in grad_x", dy));
    if (!grad.empty()) store("grad_x", std::move(grad));
  }

  void add_and_norm(const model::NormOptions& layer) {
    out_ = PlainAddNorm<T>(shape_, in_, a_, sites_, [this](T v) {
             return stored_y_for_backward(v);
           }).run(layer);
  }

  /// Computes l2_norm and its backward pass on one row.
  void run_l2_row(const model::L2NormOptions& o, const std::vector<std::size_t>& row,
                  std::vector<T>& y, std::vector<T>& grad) {
    T square = a_.sum("sum of squares", row, [&](std::size_t i) { return x_[i] * x_[i]; });
    if (sites_.any("sum of squares over D", {Op::insert}) == Op::insert)
      square /= static_cast<T>(static_cast<double>(row.size()));
    const T root = adl_sqrt(square);
    T eps = static_cast<T>(o.eps);
    const T norm = o.eps_placement == model::EpsPlacement::inside ? square : root;
    if (norm < 4 * eps) eps = sites_.constant("eps", eps);
    const T r = l2_reciprocal(o.eps_placement, square, root, eps);
    for (const std::size_t i : row)
      y[i] = stored_y_for_backward(
          a_.style().divide ? x_[i] / (1 / r) : x_[i] * sites_.factor("reciprocal norm in y", r));
    // The derivative of the norm n is `u = x / n`. If n is below the floor eps, the result does not
    // depend on n.
    const bool above = o.eps_placement != model::EpsPlacement::floor || !(root < eps);
    const auto u = [&](std::size_t i) {
      if (o.eps_placement != model::EpsPlacement::outside) return y[i];
      const T length = sites_.pick("norm in the derivative of the norm", root, root + eps);
      return length == 0 ? T(0) : x_[i] / length;
    };
    const bool always =
        !above && sites_.any("projection below the floor", {Op::insert}) == Op::insert;
    const T e = above || always
                    ? a_.sum("sum of grad_y u", row, [&](std::size_t i) { return dy_[i] * u(i); })
                    : T(0);
    for (const std::size_t i : row)
      grad[i] = sites_.factor("reciprocal norm in grad_x", r) *
                (sites_.term("grad_y in grad_x", dy_[i]) -
                 sites_.factor("y in grad_x", y[i]) * sites_.term("sum of grad_y u", e));
  }

  /// Returns the factor by which l2_norm multiplies a row. `square` is the sum of squares of the
  /// row, and `root` is its square root.
  T l2_reciprocal(model::EpsPlacement placement, T square, T root, T eps) {
    if (placement == model::EpsPlacement::inside) return a_.rstd(square, eps);
    const bool is_floor = placement == model::EpsPlacement::floor;
    const auto larger = [](T a, T b) { return a < b ? b : a; };
    const Op how = is_floor
                       ? sites_.any("eps as a floor", {Op::drop, Op::ten_times, Op::inside_root,
                                                       Op::outside_root, Op::square})
                       : sites_.any("eps outside the root",
                                    {Op::drop, Op::ten_times, Op::inside_root, Op::square});
    const T used = how == Op::ten_times ? 10 * eps : how == Op::square ? eps * eps : eps;
    if (how == Op::drop) return a_.add_quotient_error(1 / root);
    if (how == Op::inside_root) return a_.add_quotient_error(1 / adl_sqrt(square + eps));
    if (is_floor && how != Op::outside_root) return a_.add_quotient_error(1 / larger(root, used));
    return a_.add_quotient_error(1 / (root + used));
  }

  static bool is_nan(T x) { return !(x == x); }  // NOLINT(misc-redundant-expression)
  static bool is_minus_infinity(T x) {
    return static_cast<double>(x) == -std::numeric_limits<double>::infinity();
  }

  /// Returns `x - largest`, in which `largest` is the maximum of the row. An injected error can
  /// replace a difference below -30 by -30.
  T difference(T x, T largest) {
    const T d = x - largest;
    const bool clipped = d < -30 && sites_.any("differences", {Op::clip}) == Op::clip;
    return clipped ? T(-30) : d;
  }

  T exponential(T d) {
    const T e = exp(d), least = static_cast<T>(1e-7);
    return e < least && sites_.any("exponentials", {Op::clip}) == Op::clip ? least : e;
  }

  /// Returns y, rounded to the dtype of the case if the backward pass reads the stored y.
  T stored_y_for_backward(T y) const {
    return a_.style().from_y ? static_cast<T>(ref::numeric::round_to(storage_format(dtype_),
                                                                     static_cast<double>(y)))
                             : y;
  }

  T probability(const Row& row, std::size_t i) {
    const T shifted = difference(sites_.term("x in the exponent", x_[i]), row.largest);
    if (a_.style().divide) return exp(shifted - adl_log(row.sum));
    const T e = exponential(shifted);
    return sites_.any("division by the sum", {Op::drop}) == Op::drop ? e : a_.over(e, row.sum);
  }

  /// Returns all rows. Each has the indices of its unmasked elements, their maximum, and the sum of
  /// their exponentials relative to the maximum.
  std::vector<Row> rows(bool may_turn = true) {
    const bool turned = may_turn && sites_.any("axis of the sum", {Op::other}) == Op::other;
    std::vector<Row> rows;
    for (const auto& slice : turned ? cut_columns(shape_) : cut_rows(shape_, shape_.d_model)) {
      Row row{rows.size(), {}, 0, 0};
      for (const std::size_t i : slice)
        if (!masked_ || sites_.mask("mask", is_included_[i])) row.counted.push_back(i);
      row.counted.resize(elements_of_first_block("elements of a row", row.counted.size(), sites_));
      const bool nan_alone =
          !row.counted.empty() &&
          std::ranges::all_of(row.counted, [&](std::size_t i) { return is_nan(x_[i]); });
      if (nan_alone && sites_.any("largest element", {Op::ignore_nan}) == Op::ignore_nan)
        row.counted.clear();
      if (!row.counted.empty()) row.largest = x_[row.counted[0]];
      for (const std::size_t i : row.counted)
        if (row.largest < x_[i]) row.largest = x_[i];
      if (sites_.any("largest element", {Op::drop}) == Op::drop) row.largest = 0;
      row.sum = a_.style().welford ? sum_in_one_pass(row.counted)
                                   : a_.sum("sum of exponentials", row.counted, [&](std::size_t i) {
                                       return exponential(difference(x_[i], row.largest));
                                     });
      row.sum = sum_without_rescaling(row.counted).value_or(row.sum);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  /// Returns the sum of exponentials if an error is injected: a single pass over blocks keeps the
  /// old sum when the maximum grows, and does not rescale it. Returns nothing otherwise.
  std::optional<T> sum_without_rescaling(const std::vector<std::size_t>& counted) {
    const auto element = [&](std::size_t k) { return x_[counted[k]]; };
    const auto length = length_of_blocks(kNotRescaledSum, counted.size(),
                                         lengths_before_maximum(counted.size(), element), sites_);
    if (!length) return std::nullopt;
    const std::vector<T> largest = running_maxima(counted.size(), *length, element);
    T sum = 0;
    for (std::size_t k = 0; k < counted.size(); ++k)
      if (!is_minus_infinity(x_[counted[k]])) sum += exp(x_[counted[k]] - largest[k]);
    return sum;
  }

  T sum_in_one_pass(const std::vector<std::size_t>& counted) {
    T largest = counted.empty() ? T(0) : x_[counted[0]], sum = 0;
    for (const std::size_t i : counted) {
      if (is_minus_infinity(x_[i])) continue;
      if (largest < x_[i]) sum *= exp(largest - x_[i]);
      largest = std::max(largest, x_[i]);
      sum += exp(x_[i] - largest);
    }
    return sum;
  }

  /// Computes an activation `y = x g(x)` and its gradient `grad_x = grad_y (g(x) + x g'(x))`.
  template <class Gate, class Slope>
  void activation(Gate g, Slope slope) {
    std::vector<T> y(x_.size()), grad(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      y[i] = x_[i] * sites_.factor("gate", g(x_[i]));
      grad[i] = sites_.term("grad_y in grad_x", dy_[i]) *
                (sites_.term("gate in grad_x", g(x_[i])) +
                 sites_.term("x times the slope of the gate", x_[i] * slope(x_[i])));
    }
    store("y", std::move(y));
    store("grad_x", std::move(grad));
  }

  void apply_pointwise(const typename Base::Pointwise& f) {
    std::vector<T> y(x_.size()), grad(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      y[i] = stored_y_for_backward(f.of(x_[i]));
      grad[i] = sites_.term("grad_y in grad_x", dy_[i]) * f.slope(x_[i], y[i]);
    }
    store("y", std::move(y), f.keeps_nan);
    store("grad_x", std::move(grad));
  }

  /// Computes `y = a(x)`, or `y = a(x) gate` if the case has a gate, and the gradients. The
  /// activation is `a(x) = x s(x)`, with the derivative `a'(x) = s(x) + x s'(x)`.
  void apply_gate(const GateFunction& s, const model::SwigluOptions& options = {}) {
    const bool gated = !gate_.empty();
    const auto one_of = [&](const char* site) {
      return gated && sites_.any(site, {Op::other}) == Op::other;
    };
    PlainSwiglu<T> step(options, a_.style().from_y, sites_);
    const PackedReading reading = find_packed_reading();
    misread_packed(reading, shape_.d_model, false, x_, gate_);
    const bool swapped = one_of("operand of the activation");
    const std::vector<T>& x = swapped ? gate_ : x_;
    const std::vector<T>& gate = swapped ? x_ : gate_;
    std::vector<T> y, grad_x, grad_gate;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T c = step.limit_x(x[i]), v = step.argument(c), scale = step.wrong_scale();
      const T argument = one_of("argument of s(x)") ? gate[i] : v;
      const T a = stored_y_for_backward(
          scale * c * sites_.factor("s(x) of the activation x s(x)", s.of(argument)));
      const T factor = gated ? factor_of_activation(step, options, gate[i]) : T(1);
      y.push_back(gated ? a * sites_.factor("gate", factor) : a);
      if (dy_.empty()) continue;
      T dy = sites_.term("grad_y in grad_x", dy_[i]);
      if (gated) dy = stored_y_for_backward(dy * sites_.factor("gate in grad_x", factor));
      grad_x.push_back(step.keep_gradient_of_x(x[i], dy * scale * derivative(s, v, a)));
      if (!gated) continue;
      const T operand = one_of("activation in grad_gate") ? x[i] : a;
      grad_gate.push_back(
          step.keep_gradient_of_gate(gate[i], sites_.term("grad_y in grad_gate", dy_[i]) *
                                                  sites_.factor("a(x) in grad_gate", operand)));
    }
    if (swapped) std::swap(grad_x, grad_gate);
    misread_packed(reading, shape_.d_model, true, grad_x, grad_gate);
    store("y", std::move(y));
    if (dy_.empty()) return;
    store("grad_x", std::move(grad_x));
    if (gated) store("grad_gate", std::move(grad_gate));
  }

  PackedReading find_packed_reading() {
    if (gate_.empty() || shape_.d_model < 2) return PackedReading::right;
    switch (sites_.any("columns of a packed operand", {Op::other, Op::inverted})) {
      case Op::other:
        return PackedReading::halves_as_pairs;
      case Op::inverted:
        return PackedReading::pairs_as_halves;
      default:
        return PackedReading::right;
    }
  }

  /// Returns the second factor of y. If the backward pass reads stored values, the sum with beta is
  /// rounded to the dtype of the case.
  T factor_of_activation(PlainSwiglu<T>& step, const model::SwigluOptions& options, T gate) {
    const T factor = step.factor(gate);
    return options.beta == 0 ? factor : stored_y_for_backward(factor);
  }

  T derivative(const GateFunction& s, T x, T a) {
    if (sites_.any("derivative of the activation", {Op::other}) == Op::other) return a;
    const T share = s.of(x);
    return sites_.term("s(x) in grad_x", share) +
           sites_.term("x times the slope of s(x)",
                       sites_.factor("x beside the slope of s(x)", x) * s.slope(x));
  }

  void store(const std::string& name, std::vector<T> values, bool may_hold_nan = true) {
    write_rows(name, shape_, values, sites_, may_hold_nan);
    out_[name] = std::move(values);
  }

  PlainShape shape_;
  DType dtype_;
  const ref::model::FunctionInputs& in_;
  std::vector<T> x_, gate_, dy_;
  std::vector<bool> is_included_;
  bool masked_ = false;
  std::map<std::string, std::vector<T>> out_;
};

template <class T>
std::vector<StoredTensor> run_function_with_scalar_type(const Case& c, const EvalInputs& inputs,
                                                        const Style& style, Sites& sites) {
  const std::vector<std::size_t>& shape = find(c.inputs, "x")->shape;
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  PlainFunctions<T> function({rows, 1, shape.back()}, inputs.function, c.dtype, style, sites);
  const auto run = [&]<class Options>(const Options& options) {
    if constexpr (std::is_invocable_v<PlainFunctions<T>&, const Options&>) function(options);
  };
  std::visit(run, std::get<model::FunctionOptions>(c.options));
  std::vector<StoredTensor> tensors;
  for (const auto& [name, values] : function.take()) {
    std::vector<std::size_t> own = shape;
    if (name == "y" && has_operation<model::LogSumExpOptions>(c)) own.pop_back();
    if (name == "grad_gamma" || name == "grad_beta") own = {shape.back()};
    tensors.push_back(
        stored_tensor(name, corpus::output_dtype(c, name), std::move(own), values, style, sites));
  }
  return tensors;
}

}  // namespace

std::vector<StoredTensor> run_plain_function(const Case& c, const EvalInputs& inputs,
                                             const Style& style, Sites& sites) {
  if (has_operation<model::AttentionOptions>(c))
    return run_plain_attention(c, inputs, style, sites);
  if (has_operation<model::RopeOptions>(c)) return run_plain_rope(c, inputs, style, sites);
  if (has_operation<model::MergeAttentionStatesOptions>(c))
    return run_plain_merge(c, inputs, style, sites);
  if (has_operation<model::GatedRMSNormOptions>(c))
    return run_plain_gated_norm(c, inputs, style, sites);
  if (has_operation<model::CrossEntropyOptions>(c))
    return run_plain_cross_entropy(c, inputs, style, sites);
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), [&]<class T>(T) {
    return run_function_with_scalar_type<T>(c, inputs, style, sites);
  });
}

}  // namespace normproof::verification::golden::plain
