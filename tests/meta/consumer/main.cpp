// A program that uses the installed library. Layer normalization of [[1, 2], [2, 3]] with eps = 0
// must give the rows (-1, 1).
#include <cstddef>
#include <iostream>

#include "ref/norm/layer_norm.hpp"

int main() {
  using namespace normproof::ref;
  const tensor::Tensor<double> x{{1, 2}, {2, 3}};
  const tensor::Tensor<double> y = norm::layer_norm<double>(x, {}, {.eps = 0}).y;
  const double expected[] = {-1, 1, -1, 1};
  bool equal = y.size() == 4;
  for (std::size_t i = 0; equal && i < 4; ++i) equal = y.data()[i] == expected[i];
  std::cout << (equal ? "as expected\n" : "not as expected\n");
  return equal ? 0 : 1;
}
