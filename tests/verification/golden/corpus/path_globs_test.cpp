#include "verification/golden/corpus/path_globs.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::corpus {
namespace {

TEST(PathGlobs, MatchIfOneGlobMatches) {
  EXPECT_TRUE(PathGlobs().match("quick/a/b"));
  EXPECT_TRUE(PathGlobs("*/a/*").match("quick/a/b"));
  EXPECT_FALSE(PathGlobs("*/a/*").match("quick/c/b"));
  PathGlobs two_globs;
  two_globs.globs = {"*/a/*", "*/c/[xy]"};
  EXPECT_TRUE(two_globs.match("quick/a/b"));
  EXPECT_TRUE(two_globs.match("quick/c/y"));
  EXPECT_FALSE(two_globs.match("quick/c/z"));
}

TEST(PathGlobs, ExcludeAFolderInWhichNoNameCanMatch) {
  EXPECT_FALSE(PathGlobs("quick/a/*").may_match_in("quick", "c"));
  EXPECT_FALSE(PathGlobs("quick/a/*").may_match_in("standard", "a"));
  EXPECT_FALSE(PathGlobs("*/a/[xy]").may_match_in("quick", "ba"));
  EXPECT_TRUE(PathGlobs("*/?/[xy]").may_match_in("quick", "a"));
  // A star also matches slashes. A slash may be escaped, or be in brackets.
  for (const char* glob : {"*", "q*k", "quick/*k", "*a/b/c/d", "[q]uick/b/x", "quick/b\\/x"})
    EXPECT_TRUE(PathGlobs(glob).may_match_in("quick", "a")) << glob;
  PathGlobs two_globs("quick/a/*");
  two_globs.globs.push_back("quick/c/*");
  EXPECT_TRUE(two_globs.may_match_in("quick", "c"));
  EXPECT_FALSE(two_globs.may_match_in("quick", "d"));
}

TEST(PathGlobs, ReturnTheFirstGlobThatMatchesNothing) {
  PathGlobs three;
  three.globs = {"*a", "*b", "*c"};
  EXPECT_EQ(three.first_unmatched_glob({"xa", "xb", "xc"}), std::nullopt);
  EXPECT_EQ(three.first_unmatched_glob({"xa"}), "*b");
  EXPECT_EQ(PathGlobs().first_unmatched_glob({}), "*");
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
