#include "ref/model/operation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Operation, EveryNameReadsBack) {
  EXPECT_EQ(operation_names().size(), norm_names().size() + function_names().size());
  for (const std::string& name : operation_names()) {
    EXPECT_EQ(operation_name(operation(name)), name);
    EXPECT_EQ(std::holds_alternative<FunctionOptions>(operation(name)), is_function(name));
  }
}

TEST(Operation, OptionsAreThoseOfTheLayer) {
  Operation layer = operation("layer_norm");
  set_option(layer, "eps", "0.5");
  EXPECT_EQ(list_options(layer),
            (std::vector<std::pair<std::string, std::string>>{{"eps", "0.5"}}));
  Operation function = operation("softmax");
  EXPECT_THAT(list_options(function), IsEmpty());
  EXPECT_THROW(set_option(function, "eps", "0.5"), numeric::UsageError);
}

TEST(Operation, AnUnknownNameHasItsNearest) {
  try {
    operation("gelu_tan");
    FAIL();
  } catch (const numeric::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'gelu_tanh'?"));
  }
}

}  // namespace
}  // namespace normproof::ref::model
