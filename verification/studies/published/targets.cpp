#include "verification/studies/published/targets.hpp"

#include "ref/train/cross_entropy.hpp"

namespace normproof::verification::studies::published {

std::vector<int> misaligned_targets(const ref::train::LabelledBatch& batch, bool masked) {
  const std::size_t count = batch.inputs.tokens.batch_size, length = batch.inputs.tokens.seq_len;
  const auto& valid = batch.inputs.valid;
  std::vector<int> targets;
  targets.reserve(count * length);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t t = 0; t < length; ++t) {
      const bool left_out = masked && ref::tensor::is_given(valid) && !valid.data()[b * length + t];
      targets.push_back(left_out ? ref::train::kIgnored : batch.labels[(t * count + b) / length]);
    }
  return targets;
}

}  // namespace normproof::verification::studies::published
