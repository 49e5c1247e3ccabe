#include "tests/ref/norm/as_described.hpp"
#include "tests/ref/norm/messages.hpp"

namespace normproof::ref::norm {
namespace {

TEST(LayerDescriptions, AgreeWithTheLayersOfTheReference) {
  expect_layers_match_descriptions([](const auto& options, const auto& in, const auto& state) {
    return norm_step<double>(options, in, state);
  });
}

TEST(LayerDescriptions, AgreeWithTheInitialStatesOfTheReference) {
  for (const NormLayer& layer : model::norm_layers()) {
    const auto state = initial_state<double>(model::norm_options(layer.name), 3);
    std::vector<std::string> names;
    for (const auto& entry : layer.state) {
      names.emplace_back(entry.name);
      for (const double v : state.at(entry.name)) EXPECT_EQ(v, entry.initial) << entry.name;
    }
    EXPECT_EQ(state.names(), names) << layer.name;
  }
}

}  // namespace
}  // namespace normproof::ref::norm
