#include "ref/nn/embedding.hpp"

#include <algorithm>
#include <string>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::nn {

using numeric::Clause;

namespace {

using tensor::shape_of;

constexpr std::size_t kEmbeddingGrain = 32768;  // elements per range; does not affect the bits

void check_tokens(std::string_view function, const Tokens& tokens, std::size_t vocab_size) {
  const std::size_t count = tokens.batch_size * tokens.seq_len;
  if (count == 0 || tokens.ids.size() != count)
    numeric::contract_failure(function, "tokens",
                              "has " + std::to_string(tokens.ids.size()) + " ids for B " +
                                  std::to_string(tokens.batch_size) + " and T " +
                                  std::to_string(tokens.seq_len),
                              "B T of them, both at least 1", Clause::C1);
  for (std::size_t i = 0; i < count; ++i)
    if (tokens.ids[i] < 0 || static_cast<std::size_t>(tokens.ids[i]) >= vocab_size)
      numeric::contract_failure(function, "tokens",
                                "has the id " + std::to_string(tokens.ids[i]) + " at [" +
                                    std::to_string(i / tokens.seq_len) + ", " +
                                    std::to_string(i % tokens.seq_len) + "]",
                                "0 to " + std::to_string(vocab_size - 1), Clause::C2);
}

/// Multiplies x by the square root of its last extent, D. x is an embedding or the stored rows of
/// its gradient.
template <class T>
void scale(Tensor<T>& x) {
  const T root = numeric::square_root(T(static_cast<double>(shape_of(x).back())));
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] *= root;
}

}  // namespace

template <numeric::Real T>
Tensor<T> embedding(const Tokens& tokens, const Tensor<T>& weight, bool scaled) {
  if (weight.dimension() != 2 || weight.size() == 0)
    numeric::contract_failure("embedding", "weight",
                              "has shape " + tensor::to_string(shape_of(weight)), "[V,D]",
                              Clause::C3);
  check_tokens("embedding", tokens, weight.shape(0));
  const std::size_t width = weight.shape(1);
  Tensor<T> y = tensor::empty_tensor<T>({tokens.batch_size, tokens.seq_len, width});
  numeric::parallel_for(
      tokens.ids.size(), kEmbeddingGrain / width + 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          std::copy_n(weight.data() + static_cast<std::size_t>(tokens.ids[i]) * width, width,
                      y.data() + i * width);
      });
  if (scaled) scale(y);
  return y;
}

template <numeric::Real T>
RowGradient<T> embedding_backward(const Tensor<T>& grad_y, const Tokens& tokens,
                                  std::size_t vocab_size, bool scaled) {
  check_tokens("embedding_backward", tokens, vocab_size);
  const std::size_t width = grad_y.dimension() == 3 ? grad_y.shape(2) : 1;
  tensor::check_shape("embedding_backward", "grad_y", shape_of(grad_y),
                      {tokens.batch_size, tokens.seq_len, width}, Clause::C4);
  // The positions, sorted by token id. Positions with the same id are in ascending order.
  std::vector<std::size_t> order(tokens.ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return tokens.ids[i]; });
  RowGradient<T> gradient;
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto id = static_cast<std::size_t>(tokens.ids[order[k]]);
    if (!gradient.rows.empty() && gradient.rows.back() == id) continue;
    gradient.rows.push_back(id);
    begins.push_back(k);
  }
  begins.push_back(order.size());
  gradient.values = tensor::empty_tensor<T>({gradient.rows.size(), width});
  numeric::parallel_for(gradient.rows.size(), kEmbeddingGrain / width + 1,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t row = begin; row < end; ++row) {
                            T* const sum = gradient.values.data() + row * width;
                            std::fill_n(sum, width, T(0));
                            for (std::size_t k = begins[row]; k < begins[row + 1]; ++k) {
                              const T* const term = grad_y.data() + order[k] * width;
                              for (std::size_t d = 0; d < width; ++d) sum[d] += term[d];
                            }
                          }
                        });
  if (scaled) scale(gradient.values);
  return gradient;
}

#define NORMPROOF_INSTANTIATE(T)                                       \
  template Tensor<T> embedding(const Tokens&, const Tensor<T>&, bool); \
  template RowGradient<T> embedding_backward(const Tensor<T>&, const Tokens&, std::size_t, bool);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::nn
