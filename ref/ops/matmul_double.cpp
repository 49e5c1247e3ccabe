#include "ref/ops/matmul_double.hpp"

#include <algorithm>
#include <new>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/ops/fma_chain.hpp"
#include "ref/ops/matmul_kernels.hpp"
#include "ref/ops/team.hpp"

namespace normproof::ref::ops {
namespace {

// Tuning parameters. Sizes are numbers of elements. They affect only the speed, never the bits.
constexpr std::size_t kPanelElements = std::size_t{1} << 19;  // elements of a and b packed at once
constexpr std::size_t kSharedPanelElements = std::size_t{1} << 17;  // packed by all threads at once
// The number of rows of a, with kChain elements each, that fill most of a 512 KiB L2 cache.
constexpr std::size_t kRowsInCache = 192;
constexpr std::size_t kColumnsPerPass =
    2048;  // columns packed for one chain; limited by kPanelElements
constexpr std::size_t kMaxUnpackedColumns = 256;        // maximum columns of c if a is not packed
constexpr std::size_t kMaxUnpackedStridedColumns = 16;  // the same for an a with strided rows
constexpr std::size_t kMaxUnpackedRows = 96;            // maximum rows of c if b is not packed
constexpr std::size_t kMaxUnpackedElements = 4096;  // maximum elements of a b that is not packed
constexpr std::size_t kPanelsPerPass = 8;  // panels written together: the ways of an L1 cache
// If a sum has at least this number of chains, threads share no panels.
constexpr std::size_t kChainsPerPass = 8;
constexpr std::size_t kPartsPerThread = 32;     // many, so that threads finish together
constexpr std::size_t kLinePartsPerThread = 8;  // fewer, for a product that takes less time
constexpr std::size_t kProductsPerThread = std::size_t{1} << 16;
constexpr std::size_t kPackedElementsPerThread = std::size_t{1} << 13;

std::size_t ceil_div(std::size_t n, std::size_t d) {
  return (n + d - 1) / d;
}

// The memory that a thread keeps for its packed panels. It grows to slightly more than 2
// kPanelElements elements.
class Panels {
 public:
  Panels() = default;
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;
  ~Panels() { release(); }
  double* reserve(std::size_t size) {
    if (size > size_) {
      release();
      data_ = static_cast<double*>(::operator new(size * sizeof(double), kAlignment));
      size_ = size;
    }
    return data_;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  void release() {
    ::operator delete(data_, kAlignment);
    data_ = nullptr;
    size_ = 0;
  }
  double* data_ = nullptr;
  std::size_t size_ = 0;
};

double* panel_memory(std::size_t size) {
  thread_local Panels panels;
  return panels.reserve(size);
}

std::size_t round_up(std::size_t n, std::size_t unit) {
  return ceil_div(n, unit) * unit;
}

// Returns the part of `before` from a row or a column on. `before` may be empty.
MatrixView<const double> rows_starting_at(MatrixView<const double> before, std::size_t row) {
  if (before.data != nullptr) before.data += row * before.row_stride;
  return before;
}
MatrixView<const double> columns_starting_at(const MatrixView<const double>& before,
                                             std::size_t column) {
  return transposed(rows_starting_at(transposed(before), column));
}

// One product c = a b of single matrices. Each thread of a team has its own MatrixProduct.
class MatrixProduct {
 public:
  MatrixProduct(const MatrixView<double>& c, const MatrixView<const double>& a,
                const MatrixView<const double>& b, const MatrixView<const double>& before)
      : c_(c), a_(a), b_(b), before_(before), kernels_(matmul_kernels()) {
    // A matrix with one column is contiguous, whatever its column stride.
    if (c_.columns == 1) c_.column_stride = 1;
    pack_a_ =
        c_.columns > (a_.column_stride == 1 ? kMaxUnpackedColumns : kMaxUnpackedStridedColumns);
    pack_b_ = b_.column_stride != 1 || c_.rows > kMaxUnpackedRows ||
              c_.columns % kernels_.pack_width != 0 ||
              b_.rows * b_.row_stride > kMaxUnpackedElements;
  }

  void compute(std::size_t threads) {
    const std::size_t products = c_.rows * c_.columns * a_.columns;
    threads_ = std::clamp<std::size_t>(products / kProductsPerThread, 1, threads);
    if (threads_ > 1 && a_.columns >= kChain * kChainsPerPass) return compute_independently();
    const std::size_t bands = ceil_div(c_.columns, kColumnsPerPass);
    column_band_ = round_up(ceil_div(c_.columns, bands), kernels_.tile_columns);
    const std::size_t row_bands = ceil_div(c_.rows, threads_ == 1 ? kRowsInCache
                                                    : pack_a_     ? kPanelElements / kChain
                                                                  : c_.rows);
    row_band_ = round_up(ceil_div(c_.rows, row_bands), kernels_.tile_rows);
    // A single thread packs no more than fits its caches. Several threads pack more at a time,
    // because they wait for each other after packing and after multiplying.
    const std::size_t width = (pack_a_ ? row_band_ : 0) + (pack_b_ ? column_band_ : 0);
    if (threads_ > 1)
      chains_ = std::max<std::size_t>(kSharedPanelElements / (kChain * (width + 1)), 1);
    panels_ = panel_memory(width * std::min(chains_ * kChain, a_.columns));
    Team::run(threads_, [this](Team::Member& member) { MatrixProduct(*this).run_steps(member); });
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t count = 0;
  };

  // Computes the product with independent threads, for long sums. Each thread packs the parts of a
  // and b that it needs, and waits for no other thread.
  void compute_independently() const {
    const bool by_columns = c_.columns >= c_.rows;
    const std::size_t extent = by_columns ? c_.columns : c_.rows;
    const std::size_t unit = by_columns ? kernels_.tile_columns : kernels_.tile_rows;
    const std::size_t part = round_up(ceil_div(extent, threads_), unit);
    const std::size_t parts = ceil_div(extent, part);
    const auto one_by_one = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t count = std::min(part, extent - i * part);
        MatrixProduct own = *this;
        if (by_columns) {
          own.c_.columns = own.b_.columns = count;
          own.c_.data += i * part * c_.column_stride;
          own.before_ = columns_starting_at(before_, i * part);
          own.b_.data += i * part * b_.column_stride;
        } else {
          own.c_.rows = own.a_.rows = count;
          own.c_.data += i * part * c_.row_stride;
          own.before_ = rows_starting_at(before_, i * part);
          own.a_.data += i * part * a_.row_stride;
        }
        own.compute(1);
      }
    };
    Team::run(parts, [&](Team::Member& member) { member.share(parts, 1, one_by_one); });
  }

  // Runs the steps of the product. Every member of the team runs through the same loops.
  void run_steps(Team::Member& member) {
    const std::size_t depth = a_.columns;
    for (std::size_t column = 0; column < c_.columns; column += column_band_) {
      columns_ = {column, std::min(column_band_, c_.columns - column)};
      for (std::size_t k = 0; k < depth; k += chains_ * kChain) {
        depth_ = {k, std::min(chains_ * kChain, depth - k)};
        for (std::size_t row = 0; row < c_.rows; row += row_band_) {
          rows_ = {row, std::min(row_band_, c_.rows - row)};
          packed_b_ = panels_;
          packed_a_ = packed_b_ + (pack_b_ ? padded_columns() * depth_.count : 0);
          if (threads_ == 1) {
            multiply_on_one_thread(row == 0);
          } else {
            pack(member, row == 0);
            multiply(member);
          }
        }
      }
    }
  }

  std::size_t padded_columns() const { return round_up(columns_.count, kernels_.pack_width); }
  std::size_t padded_rows() const { return round_up(rows_.count, kernels_.tile_rows); }
  std::size_t chain_length_at(std::size_t k) const { return std::min(kChain, depth_.count - k); }

  // Packs the parts of a and b that are given by rows_, columns_ and depth_ into panels. The panels
  // of one chain are packed after those of the previous chain; in each chain, the panels of b come
  // first.
  void pack(Team::Member& member, bool with_b) const {
    const std::size_t chains = ceil_div(depth_.count, kChain);
    const std::size_t b_lanes = kPanelsPerPass * kernels_.tile_columns;
    const std::size_t a_lanes = kPanelsPerPass * kernels_.tile_rows;
    const std::size_t b_groups = pack_b_ && with_b ? ceil_div(columns_.count, b_lanes) : 0;
    const std::size_t a_groups = pack_a_ ? ceil_div(rows_.count, a_lanes) : 0;
    const std::size_t groups = b_groups + a_groups;
    if (groups == 0) return;
    const std::size_t group_size = b_lanes * std::min(kChain, depth_.count);
    member.share(chains * groups, ceil_div(kPackedElementsPerThread, group_size),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) {
                     const std::size_t k = i / groups * kChain;
                     const std::size_t group = i % groups;
                     if (group < b_groups)
                       pack_b(k, group * b_lanes, b_lanes);
                     else
                       pack_a(k, (group - b_groups) * a_lanes, a_lanes);
                   }
                 });
  }

  void pack_b(std::size_t k, std::size_t column, std::size_t most) const {
    const std::size_t lanes = std::min(most, columns_.count - column);
    const std::size_t chain = chain_length_at(k);
    kernels_.pack_panels({b_.data + (depth_.begin + k) * b_.row_stride +
                              (columns_.begin + column) * b_.column_stride,
                          b_.column_stride, b_.row_stride, lanes, chain, kernels_.tile_columns,
                          round_up(lanes % kernels_.tile_columns, kernels_.pack_width)},
                         packed_b_ + padded_columns() * k + column * chain);
  }

  void pack_a(std::size_t k, std::size_t row, std::size_t most) const {
    const std::size_t lanes = std::min(most, rows_.count - row);
    const std::size_t chain = chain_length_at(k);
    kernels_.pack_panels(
        {a_.data + (rows_.begin + row) * a_.row_stride + (depth_.begin + k) * a_.column_stride,
         a_.row_stride, a_.column_stride, lanes, chain, kernels_.tile_rows, kernels_.tile_rows},
        packed_a_ + padded_rows() * k + row * chain);
  }

  // Packs and multiplies one chain on a single thread. The rows of a stay in the cache, and each
  // group of panels of b is multiplied right after packing.
  void multiply_on_one_thread(bool with_b) const {
    const std::size_t a_lanes = kPanelsPerPass * kernels_.tile_rows;
    for (std::size_t row = 0; pack_a_ && row < rows_.count; row += a_lanes) pack_a(0, row, a_lanes);
    if (!pack_b_ || !with_b) return multiply({0, rows_.count}, {0, columns_.count});
    const std::size_t b_lanes = kPanelsPerPass * kernels_.tile_columns;
    for (std::size_t column = 0; column < columns_.count; column += b_lanes) {
      pack_b(0, column, b_lanes);
      multiply({0, rows_.count}, {column, std::min(b_lanes, columns_.count - column)});
    }
  }

  // Distributes parts of c over the threads. The rows of a part are limited so that their part of a
  // stays in the cache; the columns are split further.
  void multiply(Team::Member& member) const {
    const std::size_t products = rows_.count * columns_.count * depth_.count;
    const std::size_t wanted = std::min(kPartsPerThread * threads_, products / kProductsPerThread);
    const std::size_t in_cache = ceil_div(rows_.count, kRowsInCache);
    const std::size_t row_part = round_up(ceil_div(rows_.count, in_cache), kernels_.tile_rows);
    const std::size_t row_parts = ceil_div(rows_.count, row_part);
    const std::size_t split = std::max<std::size_t>(ceil_div(wanted, row_parts), 1);
    const std::size_t column_part =
        round_up(ceil_div(columns_.count, split), kernels_.tile_columns);
    const std::size_t column_parts = ceil_div(columns_.count, column_part);
    member.share(row_parts * column_parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = i / column_parts * row_part;
        const std::size_t column = i % column_parts * column_part;
        multiply({row, std::min(row_part, rows_.count - row)},
                 {column, std::min(column_part, columns_.count - column)});
      }
    });
  }

  // Multiplies one part of c. `rows` and `columns` are relative to rows_ and columns_.
  void multiply(Range rows, Range columns) const {
    const std::size_t row = rows_.begin + rows.begin;
    const std::size_t column = columns_.begin + columns.begin;
    double* const c = c_.data + row * c_.row_stride + column * c_.column_stride;
    const double* const first = columns_starting_at(rows_starting_at(before_, row), column).data;
    for (std::size_t k = 0; k < depth_.count; k += kChain) {
      const std::size_t chain = chain_length_at(k);
      const std::size_t depth = depth_.begin + k;
      kernels_.multiply({pack_a_ ? packed_a_ + padded_rows() * k + rows.begin * chain
                                 : a_.data + row * a_.row_stride + depth * a_.column_stride,
                         a_.row_stride, a_.column_stride, pack_a_,
                         pack_b_ ? packed_b_ + padded_columns() * k + columns.begin * chain
                                 : b_.data + depth * b_.row_stride + column * b_.column_stride,
                         b_.row_stride, pack_b_, c, c_.row_stride, c_.column_stride,
                         depth > 0 ? c : first, depth > 0 ? c_.row_stride : before_.row_stride,
                         depth > 0 ? c_.column_stride : before_.column_stride, rows.count,
                         columns.count, chain});
    }
  }

  MatrixView<double> c_;
  MatrixView<const double> a_;
  MatrixView<const double> b_;
  MatrixView<const double> before_;
  const MatmulKernels& kernels_;
  bool pack_a_ = true;
  bool pack_b_ = true;
  std::size_t threads_ = 1;
  std::size_t column_band_ = 0;
  std::size_t row_band_ = 0;
  std::size_t chains_ = 1;  ///< number of chains packed at a time
  double* panels_ = nullptr;
  Range columns_;
  Range depth_;
  Range rows_;
  double* packed_a_ = nullptr;
  double* packed_b_ = nullptr;
};

// Whether b can be read without packing: c has few rows, and b has several columns, each contiguous
// in memory.
bool has_contiguous_columns(const MatrixView<double>& c, const MatrixView<const double>& b) {
  return c.rows <= kMaxLineRows && b.row_stride == 1 && b.column_stride >= b.rows && b.columns > 1;
}

// Multiplies matrices for which has_contiguous_columns is true. Each thread computes some columns
// of c, one chain after the other.
void multiply_lines(const MatrixView<double>& c, const MatrixView<const double>& a,
                    const MatrixView<const double>& b, const MatrixView<const double>& before,
                    std::size_t threads) {
  const MatmulKernels& kernels = matmul_kernels();
  const std::size_t products = c.rows * c.columns * a.columns;
  threads = std::clamp<std::size_t>(products / kProductsPerThread, 1, threads);
  const std::size_t wanted = threads == 1 ? 1 : kLinePartsPerThread * threads;
  const std::size_t part = round_up(ceil_div(c.columns, wanted), kernels.pack_width);
  const std::size_t parts = ceil_div(c.columns, part);
  const auto one_by_one = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t column = i * part;
      double* const own = c.data + column * c.column_stride;
      const double* const first = columns_starting_at(before, column).data;
      for (std::size_t k = 0; k < a.columns; k += kChain)
        kernels.multiply_lines(
            {a.data + k * a.column_stride, a.row_stride, a.column_stride,
             b.data + k + column * b.column_stride, b.column_stride, own, c.row_stride,
             c.column_stride, k > 0 ? own : first, k > 0 ? c.row_stride : before.row_stride,
             k > 0 ? c.column_stride : before.column_stride, c.rows,
             std::min(part, c.columns - column), std::min(kChain, a.columns - k)});
    }
  };
  Team::run(threads, [&](Team::Member& member) { member.share(parts, 1, one_by_one); });
}

void multiply_single_matrices(const MatrixView<double>& c, const MatrixView<const double>& a,
                              const MatrixView<const double>& b,
                              const MatrixView<const double>& before, std::size_t threads) {
  if (has_contiguous_columns(c, b)) return multiply_lines(c, a, b, before, threads);
  MatrixProduct(c, a, b, before).compute(threads);
}

// Computes a product whose sums have no terms: sets c to `before`, or to +0 if `before` is empty.
void fill(const MatrixView<double>& c, const MatrixView<const double>& before) {
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.columns; ++j)
      c.data[i * c.row_stride + j * c.column_stride] =
          before.data == nullptr ? 0
                                 : before.data[i * before.row_stride + j * before.column_stride];
}

}  // namespace

const MatmulKernels& matmul_kernels() {
#if defined(__x86_64__)
  switch (numeric::instruction_set()) {
    case numeric::InstructionSet::avx512:
      return matmul_kernels_avx512;
    case numeric::InstructionSet::avx2:
      return matmul_kernels_avx2;
    case numeric::InstructionSet::baseline:
      break;
  }
#endif
  return matmul_kernels_baseline;
}

void matmul_double(const MatrixView<double>& c, const MatrixView<const double>& a,
                   const MatrixView<const double>& b, const MatrixView<const double>& before) {
  if (c.rows == 0 || c.columns == 0 || c.batches() == 0) return;
  const auto before_at = [&](std::size_t i) {
    return before.data == nullptr ? before : before.at(i);
  };
  if (a.columns == 0) {
    for (std::size_t i = 0; i < c.batches(); ++i) fill(c.at(i), before_at(i));
    return;
  }
  // The transposed product c^T = b^T a^T has the same chains, because a product of two numbers does
  // not depend on their order.
  if (c.column_stride != 1 && c.row_stride == 1)
    return matmul_double(transposed(c), transposed(b), transposed(a), transposed(before));
  const std::size_t products = c.rows * c.columns * a.columns;
  const auto threads = static_cast<std::size_t>(numeric::num_threads());
  if (c.batches() >= threads && c.batches() > 1) {
    const auto one_by_one = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        multiply_single_matrices(c.at(i), a.at(i), b.at(i), before_at(i), 1);
    };
    const std::size_t grain = ceil_div(kProductsPerThread, products);
    Team::run(std::min(threads, c.batches() / grain),
              [&](Team::Member& member) { member.share(c.batches(), grain, one_by_one); });
    return;
  }
  for (std::size_t i = 0; i < c.batches(); ++i)
    multiply_single_matrices(c.at(i), a.at(i), b.at(i), before_at(i), threads);
}

}  // namespace normproof::ref::ops
