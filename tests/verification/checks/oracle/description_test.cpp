#include "tests/ref/norm/as_described.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"

namespace normproof::verification::checks::oracle {
namespace {

NamedTensors<double> to_double(const NamedTensors<oracle100>& tensors) {
  NamedTensors<double> result;
  for (const auto& [name, values] : tensors) {
    Tensor<double> rounded = empty_tensor<double>(shape_of(values));
    for (std::size_t i = 0; i < values.size(); ++i)
      rounded.data()[i] = ref::numeric::to_double(values.data()[i]);
    result.set(name, std::move(rounded));
  }
  return result;
}

TEST(LayerDescription, MatchesTheDefinitionsOfTheOracle) {
  ref::norm::expect_layers_match_descriptions(
      [](const auto& options, const auto& in, const auto& state) {
        const Case c{options, in, state};
        const OracleStep step = run_oracle(c, Method::reverse);
        return NormStep<double>{to_double(step.outputs), to_double(step.state)};
      });
}

TEST(LayerDescription, HasTheInitialStatesOfTheOracle) {
  for (const auto& layer : ref::model::norm_layers()) {
    const auto state = initial_state(ref::model::norm_options(layer.name), 3);
    std::vector<std::string> names;
    for (const auto& entry : layer.state) {
      names.emplace_back(entry.name);
      for (const oracle100& v : state.at(entry.name)) EXPECT_EQ(v, entry.initial) << entry.name;
    }
    EXPECT_EQ(state.names(), names) << layer.name;
  }
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
