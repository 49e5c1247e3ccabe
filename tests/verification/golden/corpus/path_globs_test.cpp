#include "verification/golden/corpus/path_globs.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::corpus {
namespace {

TEST(PathGlobs, OneOfThemMatches) {
  EXPECT_TRUE(PathGlobs().match("quick/a/b"));
  EXPECT_TRUE(PathGlobs("*/a/*").match("quick/a/b"));
  EXPECT_FALSE(PathGlobs("*/a/*").match("quick/c/b"));
  PathGlobs two;
  two.globs = {"*/a/*", "*/c/[xy]"};
  EXPECT_TRUE(two.match("quick/a/b"));
  EXPECT_TRUE(two.match("quick/c/y"));
  EXPECT_FALSE(two.match("quick/c/z"));
}

TEST(PathGlobs, TheFirstThatMatchesNothingIsTold) {
  PathGlobs three;
  three.globs = {"*a", "*b", "*c"};
  EXPECT_EQ(three.idle_glob({"xa", "xb", "xc"}), std::nullopt);
  EXPECT_EQ(three.idle_glob({"xa"}), "*b");
  EXPECT_EQ(PathGlobs().idle_glob({}), "*");
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
