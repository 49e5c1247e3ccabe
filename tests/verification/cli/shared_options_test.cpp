#include "verification/cli/shared_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/support/process/processors.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace tool = normproof::verification::cli;

TEST(SharedOptions, JobsAndThreadsDefaultToTheNumberOfProcessors) {
  EXPECT_EQ(tool::processor_count(),
            std::min(normproof::verification::support::process::usable_processors(), 1024));
  CLI::App app;
  int jobs = tool::processor_count(), threads = jobs;
  tool::add_jobs_option(app, jobs, "Claims");
  tool::add_threads_option(app, threads);
  app.parse("--jobs 7 --threads 1024", false);
  EXPECT_EQ(jobs, 7);
  EXPECT_EQ(threads, 1024);
  EXPECT_THAT(app.help(), testing::HasSubstr("Claims at the same time"));
  for (const char* wrong : {"--jobs 0", "--threads 1025"})
    EXPECT_THAT(normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
                    [&] { app.parse(wrong, false); }),
                testing::HasSubstr("expected a whole number from 1 to 1024"));
}

TEST(SharedOptions, SeedIsAny64BitNumber) {
  CLI::App app;
  std::uint64_t seed = 42;
  tool::add_seed_option(app, seed, "every random choice");
  EXPECT_THAT(app.help(), testing::HasSubstr("Seed of every random choice (default: 42)"));
  app.parse("--seed 18446744073709551615", false);
  EXPECT_EQ(seed, UINT64_MAX);
}

TEST(SharedOptions, NamesOfCorpusFilesAreParsed) {
  CLI::App app;
  tool::CorpusFiles files;
  tool::add_corpus_files_option(app, files);
  app.parse("--data d --vocab v", false);
  EXPECT_EQ(files.data, "d");
  EXPECT_EQ(files.vocab, "v");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
