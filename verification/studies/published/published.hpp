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

/// Results for layer_norm, batch_norm and none in K. Yu, "The Benefits of Normalization Layers in
/// Transformers", CUHK-Shenzhen, 12 December 2024. For any other norm the functions return nothing.

/// Returns the highest learning rate of a table at which the norm converged; it converged at every
/// smaller one.
/// Requires  (C1) 1 <= table <= 6
std::optional<std::string_view> published_highest_rate(std::size_t table, std::string_view norm);

/// Whether the cell converged, for one of the seven rates or the two initializations.
/// Requires  (C1) of published_highest_rate
std::optional<bool> published_outcome(std::size_t table, std::string_view norm,
                                      std::string_view rate);
std::optional<bool> published_initialization(std::string_view norm,
                                             std::string_view initialization);

/// Returns the gradient norms of the eleven tensors with one layer, read off figure 2.
std::vector<double> published_shallow_gradients(std::string_view norm);

/// Returns the gradient norms of the second feed-forward weight of layers 1 to 5 and of the
/// embedding, read off figure 3.
std::vector<double> published_deep_gradients(std::string_view norm);
std::optional<double> published_deep_embedding(std::string_view norm);

/// Returns the points (step, value) that were read off figure 4 (loss), 5 (Lipschitz constant) or 6
/// (smoothness).
std::vector<std::pair<double, double>> published_points(std::size_t figure, std::string_view norm);

/// The steps at which the published loss of BatchNorm peaks, other than the first step.
inline constexpr std::array<std::size_t, 2> published_peaks = {30, 59};

}  // namespace normproof::verification::studies::published
