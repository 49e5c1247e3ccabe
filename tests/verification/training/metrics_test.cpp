#include "verification/training/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::training {
namespace {

using namespace normproof::verification::training;
using normproof::ref::numeric::error_message;
using normproof::ref::numeric::FileError;
using testing::HasSubstr;

class MetricsFile : public ::testing::Test {
 protected:
  std::string text() const { return normproof::ref::io::read_text(file_); }
  tests::ref::io::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "metrics.jsonl";
};

TEST_F(MetricsFile, IsTruncatedToTheCheckpointAndContinued) {
  MetricsEnd end;
  {
    Metrics metrics(file_, {});
    metrics.add({{"step", 1}, {"loss", 0.5}});
    end = metrics.end();
    metrics.add({{"step", 2}, {"loss", 0.25}});
  }
  EXPECT_EQ(last_loss(file_), 0.25);
  Metrics metrics(file_, end);
  EXPECT_EQ(text(), "{\"step\":1,\"loss\":0.5}\n");
  EXPECT_EQ(metrics.end().bytes, text().size());
  metrics.add({{"epoch", 1}});
  EXPECT_EQ(text(), "{\"step\":1,\"loss\":0.5}\n{\"epoch\":1}\n");
  EXPECT_EQ(last_loss(file_), 0.5);
}

TEST_F(MetricsFile, IsRejectedIfAlteredOrShortened) {
  MetricsEnd end;
  {
    Metrics metrics(file_, {});
    metrics.add({{"step", 1}});
    end = metrics.end();
  }
  normproof::ref::io::write_file(file_, "{\"step\":2}\n");
  EXPECT_THAT(error_message<FileError>([&] { Metrics(file_, end); }), HasSubstr("was altered"));
  normproof::ref::io::write_file(file_, "{");
  EXPECT_THAT(error_message<FileError>([&] { Metrics(file_, end); }), HasSubstr("is shorter"));
  EXPECT_THAT(error_message<FileError>([&] { Metrics(folder_.path(), {}); }),
              HasSubstr("cannot be written"));
}

TEST_F(MetricsFile, LastLossIsNaNWithoutAStep) {
  normproof::ref::io::write_file(file_, "{\"epoch\":1}\nno JSON\n");
  EXPECT_TRUE(std::isnan(last_loss(file_)));
}

}  // namespace
}  // namespace normproof::tests::verification::training
