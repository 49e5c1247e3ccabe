#include "verification/studies/published/initial_gradients.hpp"

#include "ref/numeric/errors.hpp"
#include "ref/numeric/square_root.hpp"

namespace normproof::verification::studies::published {

using ref::numeric::Clause;

namespace {

GradientSpread compute_spread(const std::string& tensor, const std::vector<double>& norms) {
  const auto count = static_cast<double>(norms.size());
  GradientSpread spread{tensor, 0, 0, norms.size()};
  for (const double norm : norms) spread.mean += norm;
  spread.mean /= count;
  double squares = 0;
  for (const double norm : norms) squares += (norm - spread.mean) * (norm - spread.mean);
  if (norms.size() > 1)
    spread.standard_deviation = ref::numeric::square_root(squares / (count - 1));
  return spread;
}

}  // namespace

std::vector<GradientSpread> gradient_spreads(const std::vector<CellResult>& cells) {
  std::vector<std::string> tensors;
  std::vector<std::vector<double>> norms;
  for (const CellResult& cell : cells) {
    if (cell.initial_gradients.empty()) continue;
    if (tensors.empty()) {
      for (const auto& [tensor, norm] : cell.initial_gradients) tensors.push_back(tensor);
      norms.resize(tensors.size());
    }
    bool same = cell.initial_gradients.size() == tensors.size();
    for (std::size_t k = 0; same && k < tensors.size(); ++k) {
      same = cell.initial_gradients[k].first == tensors[k];
      norms[k].push_back(cell.initial_gradients[k].second);
    }
    if (!same)
      ref::numeric::contract_failure("gradient_spreads", cell.name, "has other tensors",
                                     "those of the first cell", Clause::C1);
  }
  std::vector<GradientSpread> spreads;
  spreads.reserve(tensors.size());
  for (std::size_t k = 0; k < tensors.size(); ++k)
    spreads.push_back(compute_spread(tensors[k], norms[k]));
  return spreads;
}

}  // namespace normproof::verification::studies::published
