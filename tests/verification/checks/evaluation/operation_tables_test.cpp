#include "verification/checks/evaluation/operation_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "ref/model/operation.hpp"

namespace normproof::verification::checks::evaluation {
namespace {

using ::testing::HasSubstr;

std::string read_file_text(const std::string& file) {
  std::ifstream in(std::string(NORMPROOF_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(OperationTables, CommittedJsonEqualsThatOfTheProgram) {
  EXPECT_EQ(read_file_text("verification/interop/operations.json"), operations_json())
      << "normproof operations --json > verification/interop/operations.json";
}

TEST(OperationTables, FormatsDocumentHasTheTableOfLayers) {
  EXPECT_THAT(read_file_text("docs/guide/formats.md"), HasSubstr("\n\n" + layers_markdown() + "\n"))
      << "normproof operations --table prints it";
}

TEST(OperationTables, JsonHasOneObjectPerOperation) {
  const auto operations = nlohmann::json::parse(operations_json());
  const std::vector<std::string> names = ref::model::operation_names();
  ASSERT_EQ(operations.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(operations[i]["name"], names[i]);
    EXPECT_EQ(operations[i]["kind"] == "layer", operations[i].contains("cells")) << names[i];
  }
}

TEST(OperationTables, JsonDescribesAFunction) {
  const auto operations = nlohmann::json::parse(operations_json());
  const auto found = std::ranges::find_if(
      operations, [](const nlohmann::json& entry) { return entry["name"] == "swiglu"; });
  ASSERT_NE(found, operations.end());
  const auto tensor = [](const char* name, bool optional) {
    return nlohmann::json{
        {"name", name}, {"shape", "[..., D]"}, {"optional", optional}, {"type", "real"}};
  };
  EXPECT_EQ(
      *found,
      (nlohmann::json{
          {"name", "swiglu"},
          {"kind", "function"},
          {"options", {{"limit", "none"}, {"alpha", "1"}, {"beta", "0"}}},
          {"inputs", {"x", "gate"}},
          {"optional", {"grad_y"}},
          {"operands", {tensor("x", false), tensor("gate", false), tensor("grad_y", true)}},
          {"outputs", {tensor("y", false), tensor("grad_x", true), tensor("grad_gate", true)}},
          {"state", nlohmann::json::array()},
          {"independence", "element"},
          {"takes_mask", false},
          {"reduces", false},
          {"infinite_elements", "unspecified"},
          {"equal_forms", {{{"operation", "silu"}, {"combination", "times_gate"}}}}}));
}

TEST(OperationTables, JsonDescribesALayer) {
  const auto released = nlohmann::json::parse(operations_json())[8];
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
  EXPECT_EQ(released["independence"], "none");
}

TEST(OperationTables, TextHasOneParagraphPerLayer) {
  EXPECT_THAT(operations_text(), HasSubstr("\nscale_norm\n"
                                           "  kind          layer\n"
                                           "  options       eps=1e-05\n"
                                           "  cells         row\n"
                                           "  parameters    gamma [1] 1\n"
                                           "  state         none\n"
                                           "  statistics    rnorm [N] or [B,T]\n"
                                           "  backward      the derivative\n"
                                           "  independence  row\n"
                                           "  infinities    unspecified\n"));
  EXPECT_THAT(operations_text(),
              HasSubstr("\ndyt\n"
                        "  kind          layer\n"
                        "  options       alpha0=0.5\n"
                        "  cells         none: element by element\n"
                        "  parameters    gamma [D] 1, beta [D] 0, alpha [1] alpha0\n"
                        "  state         none\n"
                        "  statistics    none\n"
                        "  backward      the derivative\n"
                        "  independence  element\n"
                        "  infinities    unspecified\n"));
}

TEST(OperationTables, TextHasOneParagraphPerFunction) {
  EXPECT_THAT(operations_text(), HasSubstr("\nadd_rms_norm\n"
                                           "  kind          function\n"
                                           "  options       eps=1e-05 zero_centred_gamma=false\n"
                                           "  inputs        x, residual\n"
                                           "  optional      grad_y, grad_sum, gamma, beta\n"
                                           "  independence  row\n"
                                           "  infinities    unspecified\n"));
  EXPECT_THAT(operations_text(), HasSubstr("\nrelu\n"
                                           "  kind          function\n"
                                           "  options       none\n"
                                           "  inputs        x\n"
                                           "  optional      grad_y\n"
                                           "  independence  element\n"
                                           "  infinities    minus_infinity_is_a_limit\n"));
}

}  // namespace
}  // namespace normproof::verification::checks::evaluation
