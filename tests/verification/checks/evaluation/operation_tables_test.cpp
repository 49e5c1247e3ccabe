#include "verification/operands/layer_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation.hpp"

namespace normproof::verification::operands {
namespace {

using ::testing::HasSubstr;

std::string text_in(const std::string& file) {
  std::ifstream in(std::string(NORMPROOF_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(LayerTables, TheAdaptersReadWhatTheProgramPrints) {
  EXPECT_EQ(text_in("verification/interop/layers.json"), layers_json())
      << "normproof layers --json > verification/interop/layers.json";
}

TEST(LayerTables, TheDocumentHasTheTable) {
  EXPECT_THAT(text_in("docs/formats.md"), HasSubstr("\n\n" + layers_markdown() + "\n"))
      << "normproof layers --table prints it";
}

TEST(LayerTables, AnObjectALayerAndAFunction) {
  const auto layers = nlohmann::json::parse(layers_json());
  const std::vector<std::string> functions = ref::model::function_names();
  const std::size_t count = ref::model::norm_layers().size();
  ASSERT_EQ(layers.size(), count + functions.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    EXPECT_EQ(layers[i]["kind"], i < count ? "layer" : "function") << layers[i]["name"];
  for (std::size_t i = 0; i < functions.size(); ++i)
    EXPECT_EQ(layers[count + i]["name"], functions[i]);
  EXPECT_EQ(layers[count + 9],
            (nlohmann::json{{"name", "attention"},
                            {"kind", "function"},
                            {"options", {{"scale", "none"}, {"causal", "false"}}},
                            {"inputs", {"q", "k", "v"}},
                            {"optional", {"grad_y", "valid"}}}));
  const auto& released = layers[8];
  EXPECT_EQ(released["name"], "power_norm_released");
  EXPECT_EQ(released["options"]["group_eps"], "1e-05");
  EXPECT_EQ(released["cells"][0], (nlohmann::json{{"partition", "row_group"},
                                                  {"centred", false},
                                                  {"eps", "group_eps"},
                                                  {"option", "group_scaling"}}));
  EXPECT_EQ(released["state"][1],
            (nlohmann::json{{"name", "nu"}, {"shape", "[D]"}, {"initial", 0}}));
  EXPECT_EQ(released["statistics"][2]["of"], "training_forward");
  EXPECT_EQ(released["exact_backward"], false);
}

TEST(LayerTables, AParagraphALayer) {
  EXPECT_THAT(layers_text(), HasSubstr("\nscale_norm\n"
                                       "  options     eps=1e-05\n"
                                       "  cells       row\n"
                                       "  parameters  gamma [1] 1\n"
                                       "  state       none\n"
                                       "  statistics  rnorm [N] or [B,T]\n"
                                       "  backward    the derivative\n"));
  EXPECT_THAT(layers_text(), HasSubstr("\ndyt\n"
                                       "  options     alpha0=0.5\n"
                                       "  cells       none: element by element\n"
                                       "  parameters  gamma [D] 1, beta [D] 0, alpha [1] alpha0\n"
                                       "  state       none\n"
                                       "  statistics  none\n"
                                       "  backward    the derivative\n"));
}

TEST(LayerTables, AParagraphAFunction) {
  EXPECT_THAT(layers_text(), HasSubstr("\nadd_rms_norm\n"
                                       "  options     eps=1e-05 zero_centred_gamma=false\n"
                                       "  inputs      x, residual\n"
                                       "  optional    grad_y, grad_sum, gamma, beta\n"));
  EXPECT_THAT(layers_text(), HasSubstr("\nrelu\n"
                                       "  options     none\n"
                                       "  inputs      x\n"
                                       "  optional    grad_y\n"));
}

}  // namespace
}  // namespace normproof::verification::operands
