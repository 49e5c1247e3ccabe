#include "ref/data/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/data/temporary_file.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;

TEST(ReadBytes, ReturnsEveryByteOfTheFile) {
  std::string bytes;
  for (int b = 0; b < 256; ++b) bytes += static_cast<char>(b);
  bytes += "\r\n\n\r";
  EXPECT_EQ(read_bytes(TemporaryFile(bytes).path()), bytes);
  EXPECT_EQ(read_bytes(TemporaryFile("").path()), "");
}

TEST(ReadBytes, RejectsPathsThatAreNotReadableFiles) {
  EXPECT_THAT(error_message<FileError>([] { read_bytes("/nonexistent/phrases.txt"); }),
              StrEq("/nonexistent/phrases.txt: does not exist; expected a readable file"));
  EXPECT_THAT(error_message<FileError>([] { read_bytes("/tmp"); }),
              StrEq("/tmp: is a directory; expected a readable file"));
  EXPECT_THAT(error_message<FileError>([] { read_bytes("/dev/zero"); }),
              StrEq("/dev/zero: is neither a regular file nor a pipe; expected a readable file"));
  const TemporaryFile file("x");
  EXPECT_THAT([&file] { read_bytes(file.path() / "below"); }, ::testing::Throws<FileError>());
  EXPECT_THAT(error_message<FileError>([] { read_bytes(""); }),
              StrEq(": does not exist; expected a readable file"));
}

TEST(InQuotes, EscapesNonPrintableBytes) {
  EXPECT_EQ(quote_bytes("a b"), "\"a b\"");
  EXPECT_EQ(quote_bytes(std::string_view("\0\r\t\xe4\x7f", 5)), "\"\\x00\\x0d\\x09\\xe4\\x7f\"");
  EXPECT_EQ(quote_bytes("say \"a\\b\""), "\"say \\\"a\\\\b\\\"\"");
  EXPECT_EQ(quote_bytes(std::string(40, 'x')), "\"" + std::string(40, 'x') + "\"");
  EXPECT_EQ(quote_bytes(std::string(41, 'x')), "\"" + std::string(40, 'x') + "\"...");
}

TEST(LineFailure, NamesFileAndLine) {
  EXPECT_THAT(
      error_message<FileError>([] { line_failure("f.txt", 7, "it is odd", "it to be even"); }),
      StrEq("f.txt:7: it is odd; expected it to be even"));
}

}  // namespace
}  // namespace normproof::tests::ref::data
