#include "ref/nn/positional_encoding.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <map>
#include <mutex>

#include "ref/numeric/parallel.hpp"

namespace normproof::ref::nn {
namespace {

namespace mp = boost::multiprecision;
/// A number of 50 digits that uses integer arithmetic only, so that every processor computes the
/// same table.
using Decimal50 = mp::number<mp::cpp_bin_float<50>, mp::et_off>;

/// Returns `count` rows of the table, one after the other, starting with row `first`.
std::vector<double> encoding_rows(std::size_t first, std::size_t count, std::size_t d_model) {
  std::vector<double> rows(count * d_model);
  std::vector<Decimal50> frequency;
  const Decimal50 base = mp::log(Decimal50(10000));
  for (std::size_t d = 0; d < d_model; d += 2) {
    const Decimal50 share =
        Decimal50(static_cast<double>(d)) / Decimal50(static_cast<double>(d_model));
    frequency.push_back(mp::exp(Decimal50(-(base * share))));
  }
  numeric::parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      for (std::size_t d = 0; d < d_model; ++d) {
        const Decimal50 angle = Decimal50(static_cast<double>(first + r)) * frequency[d / 2];
        const Decimal50 value = d % 2 == 0 ? mp::sin(angle) : mp::cos(angle);
        rows[r * d_model + d] = value.convert_to<double>();
      }
  });
  return rows;
}

/// The rows of the table that earlier calls have computed, for each d_model. A row depends only on
/// its position.
struct CachedRows {
  std::mutex mutex;
  std::map<std::size_t, std::vector<double>> of;
};

CachedRows& cached_rows() {
  static CachedRows rows;
  return rows;
}

}  // namespace

tensor::Tensor<double> positional_encoding(std::size_t seq_len, std::size_t d_model,
                                           std::size_t first) {
  tensor::Tensor<double> table = tensor::empty_tensor<double>({seq_len, d_model});
  CachedRows& known = cached_rows();
  const std::lock_guard<std::mutex> lock(known.mutex);
  std::vector<double>& rows = known.of[d_model];
  const std::size_t have = rows.size() / d_model, last = first + seq_len;
  if (have < last) {
    const std::size_t ahead = first == 0 ? last : std::max<std::size_t>(64, 2 * last);
    const std::vector<double> more = encoding_rows(have, ahead - have, d_model);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(first * d_model), table.size(),
              table.data());
  return table;
}

}  // namespace normproof::ref::nn
