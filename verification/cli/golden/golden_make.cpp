#include "verification/cli/golden/golden_make.hpp"

#include <fmt/format.h>

#include "ref/numeric/parallel.hpp"
#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::clean_line;
using support::report::count_text;
using support::report::plural;

void GoldenMakeCommand::add(CLI::App& app) {
  add_new_folder_option(app, out);
  add_name_list_option(app, "--tier", tiers, verification::golden::corpus::parse_tier,
                       "quick (default), standard or full, or several of them separated by commas",
                       "TIER");
  add_only_option(app, only);
  add_jobs_option(app, jobs, "Cases to certify");
  set_footer(
      app,
      R"(Writes one folder per case with case.json, inputs.safetensors and expected.safetensors, then
manifest.json, and SHA256SUMS for 'sha256sum -c'. The bytes are the same on every machine. The
folder appears when it is complete.

Examples:
  normproof golden make --out golden
  normproof golden make --out large --tier full --only '*/layer_norm/*')");
}

Output GoldenMakeCommand::run() const {
  ref::numeric::set_num_threads(1);  // the cases run in parallel instead
  ProgressBar progress;
  const verification::golden::certify::MakeSummary made =
      verification::golden::certify::make_corpus(
          out, {.tiers = tiers,
                .only = only,
                .jobs = jobs,
                .finished = [&](const std::string& path, std::size_t done, std::size_t total) {
                  progress.show("certifying", done, total, path);
                }});
  return printed(fmt::format("{}: {}, {} elements certified\n", clean_line(out.string()),
                             plural(made.cases, "case"), count_text(made.elements)));
}

}  // namespace normproof::verification::cli::golden
