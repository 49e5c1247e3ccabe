#include "verification/cli/gpu/gpu_agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/agreement/agree.hpp"
#include "verification/checks/agreement/library_agreement.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/gpu/gpu_report.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/junit.hpp"

namespace normproof::verification::cli::gpu {

void GpuAgreeCommand::add(CLI::App& app) {
  using verification::golden::corpus::Tier;
  add_device(app, device);
  add_seed(app, seed, "the random inputs");
  add_jobs(app, jobs, "Threads of the reference");
  add_choice(app, "--mode", mode, {{"ordered", GpuMode::ordered}, {"cublas", GpuMode::cublas}},
             "ordered (default): our kernels, every bit; cublas: products of cuBLAS, or of a "
             "library on the simulated device, each within its bound");
  add_value(app, "--precision", precision, normproof::gpu::ops::parse_precision,
            normproof::gpu::ops::precision_name,
            "Of the operands in cublas mode: double (default), float32, tf32, bfloat16 or "
            "float16; sums are float32 but for double",
            "NAME");
  add_choice(app, "--tier", tier, {{"quick", Tier::quick}, {"standard", Tier::standard}},
             "Of the golden corpus: quick (default) or standard", "TIER");
  accept_several(add_bound(
      app, "--only",
      {[this](const Texts& given) { only.globs = given; }, [this] { return only.globs; }},
      "Rows of ordered mode whose name this glob, or another one given so, matches (default: all)",
      "GLOB"));
  reports.add(app, {ReportForm::json, ReportForm::junit, ReportForm::html});
  check_afterwards(app, [this, &app] {
    if (mode == GpuMode::ordered && is_given(app, "--precision"))
      throw ref::numeric::UsageError(
          "--precision is given without --mode cublas; expected it there alone, for ordered "
          "products are double");
    if (mode == GpuMode::cublas && is_given(app, "--only"))
      throw ref::numeric::UsageError(
          "--only is given with --mode cublas; expected it in ordered mode alone");
    const std::vector<std::string> rows = checks::agreement::ordered_rows();
    if (const auto idle = only.first_unmatched_glob(rows))
      throw ref::numeric::UsageError(fmt::format("--only '{}' names no row; expected one of {}",
                                                 *idle, fmt::join(rows, ", ")));
  });
  set_footer(
      app,
      R"(Ordered: sums, products, exp, log, tanh, erf, dropout and the embedding; a tier of the golden
corpus; random cases of every norm and function, with extents of 1, more than 65535 rows and masks
of nothing; two steps of training with every norm. The tolerance is zero.
Cublas: products alone, and those that linear maps, feed-forwards, attention, encoders and steps of
training ask for, each against its bound given its operands; of integers and powers of two the
tolerance is zero. `of bound` is the largest share of a bound, `of sums` that of the sums alone.
Exit status 1 if a bit differs or a product is past its bound, 77 without a GPU where one is asked
for.

Examples:
  normproof gpu agree --seed 7 --json rows.json
  normproof gpu agree --only '*_norm' --only training
  normproof gpu agree --mode cublas --precision bfloat16 --html rows.html
  normproof gpu agree --device cuda --junit rows.xml)");
}

ExitStatus GpuAgreeCommand::run() const {
  check_outputs({}, reports.named());
  const auto opened = open_rank_device(device, seed);
  ref::numeric::set_num_threads(jobs);
  // A failure to print does not stop the command, since the files are still to be written.
  std::exception_ptr not_printed;
  const auto print = [&](const std::string& text) {
    if (not_printed) return;
    try {
      write_stdout(text);
    } catch (const ref::numeric::FileError&) {
      not_printed = std::current_exception();
    }
  };
  print(agreement_head(*this));
  ProgressBar progress;
  std::size_t rows_done = 0;
  const std::vector<std::string> ordered = checks::agreement::ordered_rows();
  const auto selected = static_cast<std::size_t>(
      std::ranges::count_if(ordered, [&](const std::string& row) { return only.match(row); }));
  const std::size_t kRows = mode == GpuMode::ordered ? selected : 12;
  const auto finished = [&](const checks::agreement::Row& row) {
    print(agreement_line(row, *this));
    progress.show("comparing", ++rows_done, kRows, row.operation);
  };
  const checks::agreement::Rows found =
      mode == GpuMode::ordered
          ? checks::agreement::agree_ordered(*opened, seed, tier, only, finished)
          : checks::agreement::agree_with_library(*opened,
                                                  normproof::gpu::ops::LibraryProducts(precision),
                                                  precision, seed, tier, finished);
  if (found.cases() == 0) throw std::logic_error("gpu agree: no case was compared");
  print(agreement_tail(found, *this));
  write_all(
      {[&] {
         if (not_printed) std::rethrow_exception(not_printed);
       },
       to_file(reports.json, [&] { return agreement_json(found, *this); }),
       to_file(reports.junit, [&] { return support::report::junit(agreement_checks(found)); }),
       to_file(reports.html, [&] { return agreement_page(found, *this); })});
  return found.agree() ? kSuccess : kNumericalFailure;
}

}  // namespace normproof::verification::cli::gpu
