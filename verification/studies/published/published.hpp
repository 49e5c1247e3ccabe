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

/// The results of the paper K. Yu, "The Benefits of Normalization Layers in Transformers",
/// CUHK-Shenzhen, 12 December 2024. They cover layer_norm, batch_norm and none. For any other norm,
/// the functions return nothing.

/// Returns the highest learning rate at which the norm converged in a table of the paper. The norm
/// also converged at every lower rate.
/// Requires  (C1) 1 <= table <= 6
std::optional<std::string_view> published_highest_rate(std::size_t table, std::string_view norm);

/// Whether the norm converged in a table of the paper, at one of the seven rates. `rate` may also
/// be one of the two initializations.
/// Requires  clause (C1) of published_highest_rate
std::optional<bool> published_outcome(std::size_t table, std::string_view norm,
                                      std::string_view rate);
std::optional<bool> published_initialization(std::string_view norm,
                                             std::string_view initialization);

/// Returns the gradient norms of the eleven parameter tensors of a one-layer model, read off figure
/// 2.
std::vector<double> published_shallow_gradients(std::string_view norm);

/// Return gradient norms in the five-layer model, read off figure 3: for the weight of the second
/// feed-forward product in layers 1 to 5, and for the embedding.
std::vector<double> published_deep_gradients(std::string_view norm);
std::optional<double> published_deep_embedding(std::string_view norm);

/// Returns the points (step, value) of a curve, read off figure 4 (loss), 5 (Lipschitz constant) or
/// 6 (smoothness).
std::vector<std::pair<double, double>> published_points(std::size_t figure, std::string_view norm);

/// The steps at which BatchNorm's loss has a peak in the paper, without the first step.
inline constexpr std::array<std::size_t, 2> published_peaks = {30, 59};

}  // namespace normproof::verification::studies::published
