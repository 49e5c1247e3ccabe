#include "verification/cli/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <exception>
#include <stdexcept>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/agreement/agree.hpp"
#include "verification/agreement/library_agreement.hpp"
#include "verification/agreement/order_subjects.hpp"
#include "verification/agreement/trajectory.hpp"
#include "verification/cli/gpu_report.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/report/junit.hpp"

namespace normproof::verification::cli {

bool gpu_agree(const GpuAgreeCommand& command) {
  check_outputs({},
                {{"--json", command.json}, {"--junit", command.junit}, {"--html", command.html}});
  const auto device = gpu::device::open_device(command.device, command.seed);
  ref::numeric::set_num_threads(command.jobs);
  // What cannot be printed stops nothing: the files are still to be written.
  std::exception_ptr not_printed;
  const auto print = [&](const std::string& text) {
    if (not_printed) return;
    try {
      write_stdout(text);
    } catch (const ref::numeric::FileError&) {
      not_printed = std::current_exception();
    }
  };
  print(agreement_head(command));
  ProgressBar progress;
  std::size_t rows_done = 0;
  const std::size_t kRows =
      command.mode == GpuMode::ordered ? ref::model::operation_names().size() + 6 : 8;
  const auto finished = [&](const agreement::Row& row) {
    print(agreement_line(row, command));
    progress.show("comparing", ++rows_done, kRows, row.operation);
  };
  const agreement::Rows found =
      command.mode == GpuMode::ordered
          ? agreement::agree_ordered(*device, command.seed, command.tier, finished)
          : agreement::agree_with_library(*device, gpu::ops::LibraryProducts(command.precision),
                                          command.precision, command.seed, command.tier, finished);
  if (found.cases() == 0) throw std::logic_error("gpu agree: no case was compared");
  print(agreement_tail(found, command));
  write_all({[&] {
               if (not_printed) std::rethrow_exception(not_printed);
             },
             to_file(command.json, [&] { return agreement_json(found, command); }),
             to_file(command.junit, [&] { return report::junit(agreement_checks(found)); }),
             to_file(command.html, [&] { return agreement_page(found, command); })});
  return found.agree();
}

bool gpu_train(const GpuTrainCommand& command) {
  agreement::Trajectory trajectory;
  trajectory.steps = command.steps;
  auto& config = trajectory.config;
  config.encoder = {.vocab_size = 50,
                    .d_model = 16,
                    .num_heads = 4,
                    .d_ff = 32,
                    .num_layers = 2,
                    .num_classes = 3,
                    .norm = ref::model::norm_options(command.norm)};
  config.optimizer = ref::model::optimizer_options(command.optimizer);
  config.learning_rate = command.optimizer == "sgd" ? 0.1 : 0.001;
  config.seed = command.seed;
  const auto device = gpu::device::open_device(command.device, command.seed);
  ref::numeric::set_num_threads(command.jobs);
  write_stdout(fmt::format("{} with {}, {}, seed {}\n", command.norm, command.optimizer,
                           plural(static_cast<std::size_t>(command.steps), "step"), command.seed));
  const std::string there =
      trajectory_of_device(*device, trajectory, [&](std::int64_t step, double loss) {
        write_stdout(fmt::format("step {:>4}  loss {:.17g}\n", step, loss));
      });
  const std::string here = trajectory_of_ref(trajectory, [](std::int64_t, double) {});
  write_stdout(fmt::format("sha256 {} on the device ({})\nsha256 {} by ref: {}\n", there,
                           to_string(command.device), here,
                           here == there ? "the same trajectory" : "another trajectory"));
  return here == there;
}

bool probe_order(const ProbeOrderCommand& command) {
  const agreement::OrderSubject& subject = agreement::order_subject(command.subject);
  const auto backend = subject.place == agreement::OrderPlace::gpu_alone
                           ? gpu::device::Backend::cuda
                           : command.device;
  const bool on_device = subject.place != agreement::OrderPlace::ref;
  const auto device =
      on_device ? gpu::device::open_device(backend) : std::unique_ptr<gpu::device::Device>();
  ProgressBar bar;
  std::size_t sums = 0;
  const agreement::SummationTree tree = agreement::reveal_order(
      [&](const std::vector<double>& terms) {
        ++sums;  // of the contract's products 9/4 a term, of a balanced tree more
        bar.show("sums", sums, std::max(sums, 9 * command.terms / 4), command.subject);
        return subject.sum({device.get(), command.side}, terms);
      },
      command.terms, 64 * command.terms);
  bool as_promised = tree == subject.expected(command.terms);
  std::string text = fmt::format(
      "{}: {}{}\n{}: {}\n{} the contract's order, {} (docs/determinism.md)\n", subject.name,
      subject.what, on_device ? fmt::format(" ({})", to_string(backend)) : "",
      plural(command.terms, "term"), agreement::to_string(tree),
      as_promised ? "this is" : "this is not", subject.rule);
  if (subject.same_bits) {
    const auto [same, all] = subject.same_bits(*device);
    text += fmt::format("{} of {} elements of random products have the bits of chains of fma\n",
                        same, all);
    as_promised = as_promised && same == all;
  }
  write_stdout(text);
  return as_promised;
}

}  // namespace normproof::verification::cli
