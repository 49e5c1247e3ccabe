#include "ref/train/prediction.hpp"

#include <algorithm>

namespace normproof::ref::train {

std::vector<int> predict(const Tensor<double>& logits, const Mask& valid) {
  const std::size_t classes = logits.shape().back(), sentences = logits.shape(0);
  const std::size_t positions = logits.dimension() == 3 ? logits.shape(1) : 1;
  std::vector<int> predictions;
  for (std::size_t b = 0; b < sentences; ++b) {
    std::vector<double> sum(classes, 0);
    for (std::size_t t = 0; t < positions; ++t) {
      if (positions > 1 && tensor::is_given(valid) && !valid.data()[b * positions + t]) continue;
      for (std::size_t c = 0; c < classes; ++c)
        sum[c] += logits.data()[(b * positions + t) * classes + c];
    }
    predictions.push_back(static_cast<int>(std::ranges::max_element(sum) - sum.begin()));
  }
  return predictions;
}

}  // namespace normproof::ref::train
