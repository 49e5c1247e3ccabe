#include "verification/cli/gpu/gpu_agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ref/model/operation_names.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/agreement/agree.hpp"
#include "verification/checks/agreement/library_agreement.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/gpu/gpu_report.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::gpu {

void GpuAgreeCommand::add(CLI::App& app) {
  using verification::golden::corpus::Tier;
  add_device_option(app, device);
  add_seed_option(app, seed, "the random inputs");
  add_jobs_option(app, jobs, "Threads of the reference");
  add_choice_option(
      app, "--mode", mode,
      {{"ordered", GpuProductMode::ordered}, {"cublas", GpuProductMode::cublas}},
      "ordered (default): normproof's kernels, bit for bit; cublas: matrix products by "
      "cuBLAS, or by a simulated library on the simulated device, each within its bound");
  add_value_option(
      app, "--precision", precision, normproof::gpu::ops::parse_precision,
      normproof::gpu::ops::precision_name,
      "Precision of the operands in cublas mode: double (default), float32, tf32, bfloat16 "
      "or float16; the sums are double for double, else float32",
      "NAME");
  add_choice_option(app, "--tier", tier, {{"quick", Tier::quick}, {"standard", Tier::standard}},
                    "Tier of the golden corpus: quick (default) or standard", "TIER");
  accept_several_values(add_bound_option(
      app, "--only",
      {[this](const Texts& given) {
         only.globs.clear();
         for (const std::string& glob : given)
           only.globs.push_back(ref::model::find_operation_name(glob).value_or(glob));
       },
       [this] { return only.globs; }},
      "Only rows of ordered mode whose name matches this glob; may be repeated (default: all)",
      "GLOB"));
  reports.add(app);
  check_after_parsing(app, [this, &app] {
    if (mode == GpuProductMode::ordered && is_given(app, "--precision"))
      throw ref::numeric::UsageError(
          "--precision is given without --mode cublas; expected it there alone, for ordered "
          "products are double");
    if (mode == GpuProductMode::cublas && is_given(app, "--only"))
      throw ref::numeric::UsageError(
          "--only is given with --mode cublas; expected it in ordered mode alone");
    const std::vector<std::string> rows = checks::agreement::list_rows_in_order();
    if (const auto idle = only.first_unmatched_glob(rows))
      throw ref::numeric::UsageError(fmt::format("--only '{}' names no row; expected one of {}",
                                                 *idle, fmt::join(rows, ", ")));
  });
  set_footer(
      app,
      R"(Ordered mode compares sums, products, exp, log, tanh, erf, dropout and the embedding; a tier of the
golden corpus; random cases of every norm and function, with extents of 1, more than 65535 rows and
empty masks; and two steps of training with every norm. The tolerance is zero.
Cublas mode compares products alone, and those in linear maps, feed-forwards, attention, encoders
and steps of training, each against the bound for its operands. For integers and powers of two the
tolerance is zero. `of bound` is the largest share of a bound, `of sums` that of the sums alone.
Exit status 1 if a bit differs or a product exceeds its bound; 77 if a GPU is requested and there is
none.

Examples:
  normproof gpu agree --seed 7 --json rows.json
  normproof gpu agree --only '*_norm' --only training
  normproof gpu agree --mode cublas --precision bfloat16 --html rows.html
  normproof gpu agree --device cuda --junit rows.xml)");
}

Output GpuAgreeCommand::run() const {
  const auto opened = open_rank_device(device, seed);
  ref::numeric::set_num_threads(jobs);
  const auto printed_rows = std::make_shared<StreamedText>();
  printed_rows->print(agreement_head(*this));
  ProgressBar progress;
  std::size_t rows_done = 0;
  const std::vector<std::string> ordered = checks::agreement::list_rows_in_order();
  const auto selected = static_cast<std::size_t>(
      std::ranges::count_if(ordered, [&](const std::string& row) { return only.match(row); }));
  const std::size_t kRows = mode == GpuProductMode::ordered ? selected : 12;
  const auto finished = [&](const checks::agreement::Row& row) {
    printed_rows->print(agreement_line(row, *this));
    progress.show("comparing", ++rows_done, kRows, row.operation);
  };
  const checks::agreement::Rows found =
      mode == GpuProductMode::ordered
          ? checks::agreement::compare_ordered_mode(*opened, seed, tier, only, finished)
          : checks::agreement::compare_with_library_bounds(
                *opened, normproof::gpu::ops::LibraryProducts(precision), precision, seed, tier,
                finished);
  if (found.cases() == 0) throw std::logic_error("gpu agree: no case was compared");
  return {.status = found.agree() ? kSuccess : kNumericalFailure,
          .document = agreement_document(found, *this),
          .checks = agreement_checks(found),
          .text =
              [printed_rows, tail = agreement_tail(found, *this)] {
                printed_rows->rethrow_failure();
                return tail;
              },
          .json = agreement_json(found, *this)};
}

}  // namespace normproof::verification::cli::gpu
