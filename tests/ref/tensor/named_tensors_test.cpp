#include "ref/tensor/named_tensors.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::tensor {
namespace {

TEST(NamedTensors, KeepsTheOrderOfInsertionAndReplacesInPlace) {
  NamedTensors<double> tensors;
  tensors.set("y", full_tensor<double>({1}, 1));
  tensors.set("mean", full_tensor<double>({1}, 2));
  tensors.set("y", full_tensor<double>({2}, 3));
  EXPECT_EQ(tensors.names(), (std::vector<std::string>{"y", "mean"}));
  EXPECT_EQ(tensors.at("y").size(), 2u);
  EXPECT_EQ(tensors.find("rstd"), nullptr);
}

TEST(NamedTensors, UnknownNameErrorSuggestsTheNearestName) {
  NamedTensors<double> tensors;
  tensors.set("running_mean", full_tensor<double>({1}, 1));
  tensors.set("nu", full_tensor<double>({1}, 1));
  try {
    tensors.at("runing_mean");
    ADD_FAILURE() << "no error";
  } catch (const numeric::ContractError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown tensor 'runing_mean'; did you mean 'running_mean'? known: running_mean, "
                 "nu");
  }
}

}  // namespace
}  // namespace normproof::ref::tensor
