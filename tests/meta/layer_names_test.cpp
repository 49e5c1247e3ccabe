#include "tests/meta/layer_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/meta/planted_tree.hpp"
#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::filesystem::path kSourceRoot = NORMPROOF_SOURCE_DIR;
constexpr const char* kPlantedList =
    "{.name = \"none\"}\n{.name = \"layer_norm\"}\n{.name = \"d_y_t\"}\n";

using Files = std::map<std::string, std::string>;

TEST(LayerNames, AreReadFromTheirList) {
  const TemporaryTree planted(Files{{"ref/model/norm_layers.cpp", kPlantedList}});
  EXPECT_THAT(layer_names(planted.root()), ElementsAre("layer_norm", "d_y_t"));
  const TemporaryTree empty(Files{{"ref/model/norm_layers.cpp", "{.nom = \"layer_norm\"}"}});
  EXPECT_THROW(layer_names(empty.root()), std::runtime_error);
}

TEST(LayerNames, RejectsEveryKindOfComparison) {
  const TemporaryTree planted({{"ref/model/norm_layers.cpp", kPlantedList},
                               {"ref/a.cpp", "if (name == \"layer_norm\") {}\n"},
                               {"ref/b.hpp", "\nif (\"d_y_t\" != name) {}\n"},
                               {"gpu/c.cu", "name.starts_with(\"layer_norm_\")"},
                               {"verification/d.py", "if op in (\"x\", \"d_y_t\"):\n"},
                               {"verification/run", "if op==\"layer_norm\":\n"}});
  EXPECT_THAT(compared_layer_names(planted.root()),
              ElementsAre(StartsWith("gpu/c.cu:1: "), StartsWith("ref/a.cpp:1: "),
                          StartsWith("ref/b.hpp:2: "), StartsWith("verification/d.py:1: "),
                          StartsWith("verification/run:1: ")));
}

TEST(LayerNames, AcceptsNamesThatAreNotCompared) {
  const TemporaryTree planted(
      {{"ref/model/norm_layers.cpp", kPlantedList},
       {"ref/a.cpp", "constexpr auto kName = \"layer_norm\";\n"},
       {"ref/b.cpp", "if (text == \"none\" || text == \"final_norm\") {}\n"},
       {"verification/c.py", "FORWARD = {\"layer_norm\": F.layer_norm}\n"}});
  EXPECT_THAT(compared_layer_names(planted.root()), IsEmpty());
}

TEST(Repository, ComparesNoLayerByItsName) {
  EXPECT_EQ(joined(compared_layer_names(kSourceRoot)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
