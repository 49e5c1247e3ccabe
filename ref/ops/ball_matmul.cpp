#include "ref/ops/ball_matmul.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::ball;

class ArbMatrix {
 public:
  ArbMatrix(std::size_t rows, std::size_t columns) {
    arb_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  explicit ArbMatrix(const MatrixView<const ball>& m) : ArbMatrix(m.rows, m.columns) {
    for (std::size_t i = 0; i < m.rows; ++i)
      for (std::size_t j = 0; j < m.columns; ++j)
        arb_set(at(i, j), m.data[i * m.row_stride + j * m.column_stride].get());
  }
  ArbMatrix(const ArbMatrix&) = delete;
  ArbMatrix& operator=(const ArbMatrix&) = delete;
  ~ArbMatrix() { arb_mat_clear(value_); }

  arb_ptr at(std::size_t i, std::size_t j) {
    return arb_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  arb_mat_struct* get() { return value_; }

 private:
  arb_mat_t value_;
};

}  // namespace

void ball_matmul(const MatrixView<ball>& c, const MatrixView<const ball>& a,
                 const MatrixView<const ball>& b, bool add) {
  for (std::size_t batch = 0; batch < c.batches(); ++batch) {
    ArbMatrix product(c.rows, c.columns);
    arb_mat_mul(product.get(), ArbMatrix(a.at(batch)).get(), ArbMatrix(b.at(batch)).get(),
                ball::precision());
    const MatrixView<ball> out = c.at(batch);
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j) {
        ball& element = out.data[i * c.row_stride + j * c.column_stride];
        if (add)
          arb_add(element.get(), element.get(), product.at(i, j), ball::precision());
        else
          arb_set(element.get(), product.at(i, j));
      }
  }
}

}  // namespace normproof::ref::ops
