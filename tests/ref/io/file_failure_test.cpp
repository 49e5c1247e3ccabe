#include "ref/io/file_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::io {
namespace {

using normproof::ref::numeric::error_message;
using ::testing::StrEq;

TEST(FileFailure, ThrowsAFileErrorWithOneSentence) {
  EXPECT_THAT(error_message<numeric::FileError>(
                  [] { file_failure("a.npz", "array 'x'", "is complex", "a real dtype"); }),
              StrEq("a.npz: array 'x' is complex; expected a real dtype"));
}

TEST(FileFailure, MessageHasOneLineDespiteControlCharacters) {
  EXPECT_THAT(error_message<numeric::FileError>([] {
                file_failure("a.npz", "array '\x1b[31m\n\x7f\xc3\xa9'", "is bad", "good");
              }),
              StrEq("a.npz: array '?[31m??\xc3\xa9' is bad; expected good"));
}

}  // namespace
}  // namespace normproof::ref::io
