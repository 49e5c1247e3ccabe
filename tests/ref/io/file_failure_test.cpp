#include "ref/io/file_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::ref::io {
namespace {

using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(FileFailure, IsOneSentence) {
  EXPECT_THAT([] { file_failure("a.npz", "array 'x'", "is complex", "a real dtype"); },
              ThrowsMessage<numeric::FileError>(
                  StrEq("a.npz: array 'x' is complex; expected a real dtype")));
}

TEST(FileFailure, StaysOnOneLineWhateverTheFileHolds) {
  EXPECT_THAT([] { file_failure("a.npz", "array '\x1b[31m\n\x7f\xc3\xa9'", "is bad", "good"); },
              ThrowsMessage<numeric::FileError>(
                  StrEq("a.npz: array '?[31m??\xc3\xa9' is bad; expected good")));
}

}  // namespace
}  // namespace normproof::ref::io
