#include "gpu/norm/float32_run_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "gpu/device/simulated_launch.hpp"
#include "gpu/norm/float32_backward_row.hpp"

/// Tensor elements that count every access. The counts are kept by address.
namespace normproof::gpu::counted {

using norm::Vector;

/// An element in a storage format. `accesses` counts how often each element is read or written.
template <class Format>
struct CountedElement {
  typename Format::Element bits;
};
inline std::unordered_map<const void*, int> accesses;

template <class Format>
struct AccessCountingFormat {
  using Element = CountedElement<Format>;
  static float widen(Element e) { return Format::widen(e.bits); }
  template <class Scalar>
  static Element narrow(Scalar v) {
    return {Format::narrow(v)};
  }
};

/// Loads a vector element by element, so that each access is counted. Overload resolution prefers
/// this function to load_vector of number_formats.hpp, which reads all elements with one load.
template <class Format>
Vector<CountedElement<Format>> load_vector(device::Span<const CountedElement<Format>> from,
                                           std::size_t i) {
  Vector<CountedElement<Format>> v;
  for (std::size_t j = 0; j < v.kSize; ++j) v.element[j] = from[i + j];
  return v;
}
template <class Format>
void store_vector(device::Span<CountedElement<Format>> to, std::size_t i,
                  const Vector<CountedElement<Format>>& v) {
  for (std::size_t j = 0; j < v.kSize; ++j) to[i + j] = v.element[j];
}

}  // namespace normproof::gpu::counted

namespace normproof::gpu::device {
template <class Format>
struct Span<const counted::CountedElement<Format>> {
  const counted::CountedElement<Format>& operator[](std::size_t i) const {
    if (i >= size) throw_out_of_bounds_error(i, size);
    ++counted::accesses[data + i];
    return data[i];
  }
  bool given() const { return data != nullptr; }

  const counted::CountedElement<Format>* data = nullptr;
  std::size_t size = 0;
};
template <class Format>
struct Span<counted::CountedElement<Format>> {
  counted::CountedElement<Format>& operator[](std::size_t i) const {
    if (i >= size) throw_out_of_bounds_error(i, size);
    ++counted::accesses[data + i];
    return data[i];
  }

  counted::CountedElement<Format>* data = nullptr;
  std::size_t size = 0;
};
}  // namespace normproof::gpu::device

namespace normproof::gpu::norm {
namespace {

using counted::AccessCountingFormat;
using counted::accesses;
using counted::CountedElement;

/// The tensors of a backward. All elements of x, grad_y and grad_sum are 1. grad_x is only written.
template <class Format, class Scalar, bool centred>
struct AccessCountingBackward {
  using Element = CountedElement<Format>;
  using Row = Float32BackwardRow<AccessCountingFormat<Format>, Scalar, centred>;

  AccessCountingBackward(std::size_t count, std::size_t of_width, bool adds)
      : rows(count),
        width(of_width),
        x(count * of_width, Element{Format::narrow(1.0F)}),
        grad_y(x),
        grad_sum(adds ? x.size() : 0, Element{Format::narrow(1.0F)}),
        grad_x(x.size()),
        statistic(count, Scalar(0.5)),
        runs((count + kRunLength - 1) / kRunLength * 2 * of_width, Scalar(-7)) {}

  Row row() {
    return {.grad_y = {grad_y.data(), grad_y.size()},
            .x = {x.data(), x.size()},
            .grad_sum = {grad_sum.empty() ? nullptr : grad_sum.data(), grad_sum.size()},
            .affine = {},
            .mean = {statistic.data(), statistic.size()},
            .rstd = {statistic.data(), statistic.size()},
            .rows = rows,
            .width = width,
            .grad_x = {grad_x.data(), grad_x.size()},
            .runs = {runs.data(), runs.size()}};
  }
  /// Checks the sums over each run of rows. The terms of grad_beta are `grad_y = 1`. The terms of
  /// grad_gamma are `(x - mean) * rstd = 1/4` with centering and `x * rstd = 1/2` without
  /// centering.
  void expect_correct_sums() const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t first = i / (2 * width) * kRunLength;
      const auto of_run = static_cast<Scalar>(std::min<std::size_t>(kRunLength, rows - first));
      const bool of_gamma = i / width % 2 == 0;
      ASSERT_EQ(runs[i], of_gamma ? of_run * Scalar(centred ? 0.25 : 0.5) : of_run) << i;
    }
  }
  static void expect_accesses_per_element(const std::vector<Element>& tensor, int times,
                                          const char* name) {
    for (std::size_t i = 0; i < tensor.size(); ++i)
      ASSERT_EQ(accesses[tensor.data() + i], times) << name << " " << i;
  }

  std::size_t rows, width;
  std::vector<Element> x, grad_y, grad_sum, grad_x;
  std::vector<Scalar> statistic, runs;
};

/// Calls simulate(row, runs), which runs a kernel. Expects the kernel to read each element of x and
/// grad_y `reads` times, to read grad_sum once and to write grad_x once.
template <class Backward, class Simulate>
void expect_read_counts(Backward in, int reads, const Simulate& simulate) {
  SCOPED_TRACE(testing::Message() << in.rows << " x " << in.width);
  accesses.clear();
  simulate(in.row(), (in.rows + kRunLength - 1) / kRunLength);
  in.expect_correct_sums();
  in.expect_accesses_per_element(in.x, reads, "x");
  in.expect_accesses_per_element(in.grad_y, reads, "grad_y");
  in.expect_accesses_per_element(in.grad_sum, 1, "grad_sum");
  in.expect_accesses_per_element(in.grad_x, 1, "grad_x");
}

template <class Format, class Scalar, bool centred>
void expect_one_read_per_element() {
  using In = AccessCountingBackward<Format, Scalar, centred>;
  using Row = typename In::Row;
  using Narrow = NarrowRunTile<Row>;
  using Wide = WideRunTile<Row>;
  constexpr std::size_t kNarrowWidth = 1024, kWideWidth = Wide::kSlots * Row::kSize;
  const auto in_blocks = [](const Row& of, std::size_t runs) {
    device::simulate_blocks(3, runs, RunBlocks<Row, Narrow>{of});
  };
  expect_read_counts(In(33, kNarrowWidth, true), 1, in_blocks);
  expect_read_counts(In(5, kNarrowWidth - Row::kSize - 1, false), 1, in_blocks);
  expect_read_counts(In(70, 3, true), 1, in_blocks);
  expect_read_counts(In(1, kWideWidth, false), 1, [](const Row& of, std::size_t runs) {
    device::simulate_blocks(3, runs, RunBlocks<Row, Wide>{of});
  });
  for (const std::size_t width : {2 * kWideWidth, 2 * kWideWidth + 3})
    expect_read_counts(In(3, width, true), 1, [&](const Row& of, std::size_t runs) {
      device::simulate_clusters(3, runs, TiledRow<typename Row::Format, Wide>::tiles(width),
                                RunClusters<Row>{of});
    });
  for (const std::size_t width : {2 * kWideWidth, 2 * kWideWidth + 3})
    expect_read_counts(In(3, width, true), 2, [](const Row& of, std::size_t runs) {
      device::simulate_blocks(3, runs, RunTiles<Row>{of});
    });
}

TEST(Float32BackwardKernels, ReadEachInputElementOnceIfTheTilesHoldARow) {
  expect_one_read_per_element<Float32, float, true>();
  expect_one_read_per_element<BFloat16, float, true>();
  expect_one_read_per_element<BFloat16, float, false>();
  expect_one_read_per_element<Float16, double, true>();
}

}  // namespace
}  // namespace normproof::gpu::norm
