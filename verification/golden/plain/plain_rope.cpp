#include "verification/golden/plain/plain_rope.hpp"

#include <string>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::usual_accumulation;

namespace {

template <class T>
class PlainRope {
 public:
  using Op = MutationOperator;

  PlainRope(const ref::model::FunctionInputs& in, bool interleaved, DType dtype, const Style& style,
            Sites& sites)
      : dtype_(dtype), style_(style), sites_(sites), interleaved_(interleaved) {
    const auto& x = in.tensors.at("x");
    width_ = x.shape().back();
    tokens_ = in.tensors.at("cos").shape(0), pairs_ = in.tensors.at("cos").shape(1);
    rows_ = x.size() / width_;
    cos_ = values(in, "cos"), sin_ = values(in, "sin");
    x_ = values(in, "x"), dy_ = values(in, "grad_y");
    read_rows("reading x", {rows_, 1, width_}, x_, sites_);
    read_rows("reading grad_y", {rows_, 1, width_}, dy_, sites_);
  }

  std::vector<T> forward() { return rotate_pairs(x_, "y", "sign of sin", "cos", "sin"); }
  std::vector<T> backward() {
    return rotate_pairs(dy_, "grad_x", "sign of sin in the backward", "cos in the backward",
                        "sin in the backward", T(-1));
  }

 private:
  static std::vector<T> values(const ref::model::FunctionInputs& in, const char* name) {
    std::vector<T> result;
    for (const double v : in.tensors.at(name)) result.push_back(static_cast<T>(v));
    return result;
  }

  T stored(T value) const {
    return style_.from_y ? static_cast<T>(ref::numeric::round_to(storage_format(dtype_),
                                                                 static_cast<double>(value)))
                         : value;
  }

  /// Returns the row of the tables cos and sin that belongs to row `row` of x.
  std::size_t table_row(std::size_t row) {
    switch (sites_.any("row of the tables", {Op::one_more, Op::other, Op::drop})) {
      case Op::one_more:
        return (row + 1) % tokens_;
      case Op::other:  // error: the number of the head or sample
        return row / tokens_ % tokens_;
      case Op::drop:
        return 0;
      default:
        return row % tokens_;
    }
  }

  std::vector<T> rotate_pairs(const std::vector<T>& x, const char* name, const char* sign,
                              const char* cos_site, const char* sin_site, T direction = T(1)) {
    std::vector<T> y = x;
    const bool interleaved = (sites_.any("pairing", {Op::other}) == Op::other) != interleaved_;
    const Op rest =
        width_ > 2 * pairs_ ? sites_.any("features without a pair", {Op::drop}) : Op::none;
    const Op table = sites_.any("tables", {Op::other, Op::transposed});
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t at = table_row(row) * pairs_;
      for (std::size_t p = 0; p < pairs_; ++p) {
        const std::size_t a = row * width_ + (interleaved ? 2 * p : p),
                          b = interleaved ? a + 1 : a + pairs_;
        const bool swapped = table == Op::other;
        // An injected error reads the angles of the other pairing: of a table that holds each angle
        // twice, element k of a row uses angle k / 2 or k mod P for P pairs.
        const bool turned = table == Op::transposed;
        const std::size_t own = a - row * width_, partner = b - row * width_;
        const auto angle = [&](std::size_t element) {
          return at + (!turned ? p : interleaved ? element % pairs_ : element / 2);
        };
        const auto cos = [&](std::size_t element) {
          return sites_.factor(cos_site, (swapped ? sin_ : cos_)[angle(element)]);
        };
        const auto sin = [&](std::size_t element) {
          return sites_.factor(sin_site, (swapped ? cos_ : sin_)[angle(element)]) *
                 sites_.term(sign, direction);
        };
        y[a] =
            stored(x[a] * cos(own)) - sites_.term("partner of the first", stored(x[b] * sin(own)));
        y[b] = stored(x[b] * cos(partner)) +
               sites_.term("partner of the second", stored(x[a] * sin(partner)));
      }
      for (std::size_t d = 2 * pairs_; d < width_ && rest == Op::drop; ++d) y[row * width_ + d] = 0;
    }
    write_rows(name, {rows_, 1, width_}, y, sites_);
    return y;
  }

  DType dtype_;
  Style style_;
  Sites& sites_;
  bool interleaved_;
  std::size_t width_ = 0, tokens_ = 0, pairs_ = 0, rows_ = 0;
  std::vector<T> cos_, sin_, x_, dy_;
};

}  // namespace

std::vector<StoredTensor> run_plain_rope(const Case& c, const EvalInputs& inputs,
                                         const Style& style, Sites& sites) {
  const bool interleaved =
      std::get<ref::model::RopeOptions>(std::get<ref::model::FunctionOptions>(c.options))
          .interleaved;
  const auto run = [&]<class T>(T) {
    PlainRope<T> rope(inputs.function, interleaved, c.dtype, style, sites);
    const auto& shape = find(c.inputs, "x")->shape;
    std::vector<StoredTensor> tensors;
    tensors.push_back(stored_tensor("y", c.dtype, shape, rope.forward(), style, sites));
    tensors.push_back(stored_tensor("grad_x", c.dtype, shape, rope.backward(), style, sites));
    return tensors;
  };
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), run);
}

}  // namespace normproof::verification::golden::plain
