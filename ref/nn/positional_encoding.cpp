#include "ref/nn/positional_encoding.hpp"

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::ref::nn {

tensor::Tensor<double> positional_encoding(std::size_t seq_len, std::size_t d_model) {
  using numeric::oracle50;
  namespace mp = boost::multiprecision;
  tensor::Tensor<double> table = tensor::empty_tensor<double>({seq_len, d_model});
  std::vector<oracle50> frequency;
  const oracle50 base = mp::log(oracle50(10000));
  for (std::size_t d = 0; d < d_model; d += 2) {
    const oracle50 share =
        oracle50(static_cast<double>(d)) / oracle50(static_cast<double>(d_model));
    frequency.push_back(mp::exp(oracle50(-(base * share))));
  }
  numeric::parallel_for(seq_len, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      for (std::size_t d = 0; d < d_model; ++d) {
        const oracle50 angle = oracle50(static_cast<double>(t)) * frequency[d / 2];
        const oracle50 value = d % 2 == 0 ? mp::sin(angle) : mp::cos(angle);
        table.data()[t * d_model + d] = numeric::to_double(value);
      }
  });
  return table;
}

}  // namespace normproof::ref::nn
