#include "verification/cli/trace_command_line.hpp"

#include "ref/numeric/errors.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

void add_trace(CLI::App& app, TraceTexts& texts) {
  CLI::App& trace = *app.add_subcommand(
      "trace", "Write every tensor of the first steps of a training, in\ndouble or certified");
  trace.add_option("--out", texts.out, "A new folder")->required()->type_name("DIR");
  trace.add_option("--steps", texts.steps, "How many steps (default: 1)")->type_name("K");
  trace.add_flag("--certified", texts.certified,
                 "Each element is the double nearest to the true value;\nbeside it what remains");
  trace.add_option("--format", texts.format, "safetensors (default) or npz")->type_name("FORMAT");
  add_training_source(trace, texts.source);
  add_initial_weights(trace, texts.weights);
  trace
      .add_option(
          "--threads", texts.threads,
          "Threads of the run in double (default: the number of\nprocessors); no bit depends "
          "on it")
      ->type_name("N");
  trace.add_flag("--json", texts.json, "One JSON object on standard output");
  trace.footer(trace_footer());
}

TraceCommand trace_command(const CLI::App& command, const TraceTexts& texts) {
  TraceCommand trace;
  trace.source = training_source_of(command, texts.source);
  trace.out = *path_of(command, "--out");
  trace.weights = path_of(command, "--weights");
  trace.steps = parse_number<std::size_t>("--steps", texts.steps, 1, 9999);
  trace.certified = texts.certified;
  trace.suffix = parse_choice<std::string>("--format", texts.format,
                                           {{"safetensors", ".safetensors"}, {"npz", ".npz"}});
  trace.threads = thread_count(command, "--threads", texts.threads);
  trace.json = texts.json;
  return trace;
}

}  // namespace normproof::verification::cli
