#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/studies/published/cell.hpp"

namespace normproof::verification::studies::published {

/// What K. Yu, "The Benefits of Normalization Layers in Transformers", CUHK-Shenzhen, 12 December
/// 2024, shows of layer_norm, batch_norm and none. Nothing here for another norm.

/// The highest learning rate of a table at which the norm converged; it did at every smaller one.
/// Requires  (C1) 1 <= table <= 6
std::optional<std::string_view> published_highest_rate(std::size_t table, std::string_view norm);

/// Whether the cell converged, of the seven rates and the two initializations. (C1) holds here.
std::optional<bool> published_outcome(std::size_t table, std::string_view norm,
                                      std::string_view rate);
std::optional<bool> published_initialization(std::string_view norm,
                                             std::string_view initialization);

/// Figure 2, read off: the gradient's norm of each of the eleven tensors, one layer.
std::vector<double> published_shallow_gradients(std::string_view norm);

/// Figure 3: that of the second feed-forward weight of layers 1 to 5, and of the embedding.
std::vector<double> published_deep_gradients(std::string_view norm);
std::optional<double> published_deep_embedding(std::string_view norm);

/// Figures 4 (loss), 5 (Lipschitz) and 6 (smoothness): (step, value) where both were read off.
std::vector<std::pair<double, double>> published_points(std::size_t figure, std::string_view norm);

/// Steps at which the published BatchNorm's loss peaks, the first aside.
inline constexpr std::array<std::size_t, 2> published_peaks = {30, 59};

}  // namespace normproof::verification::studies::published
