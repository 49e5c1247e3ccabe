#include "verification/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>

#include "ref/numeric/errors.hpp"
#include "verification/cli/commands.hpp"
#include "verification/cli/golden_command_line.hpp"
#include "verification/cli/gpu_command_line.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"
#include "verification/cli/regress_command_line.hpp"
#include "verification/cli/study_command_line.hpp"
#include "verification/cli/trace_command_line.hpp"
#include "verification/cli/train_command_line.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// The options by name, as text: what is a number or a choice is judged in one place, here.
struct AllTexts {
  std::string claims = "*", seed = "1", cases = "1000", jobs;
  std::string data, vocab, json, junit, html;
  std::string threads, instruction_set, against;
  std::string layer, in, out, scalar = "double", mode = "training";
  std::vector<std::string> settings;
  bool sequence = false;
};

void add_corpus_options(CLI::App& command, AllTexts& texts) {
  command
      .add_option("--data", texts.data,
                  "Sentences in the format of Financial PhraseBank (ISO-8859-1,\n"
                  "CR LF, sentence@label); without it a synthetic corpus")
      ->type_name("FILE");
  command
      .add_option("--vocab", texts.vocab, "WordPiece vocabulary, a token a line; goes with --data")
      ->type_name("FILE");
}

void add_verify(CLI::App& app, AllTexts& texts) {
  CLI::App& verify = *app.add_subcommand("verify",
                                         "Check the ledger of claims, and follow the "
                                         "statistics\nof real batches of sentences");
  verify
      .add_option("--claims", texts.claims,
                  "The claims to check: globs on their ids, separated by\n"
                  "commas, such as 'A*,D1[0-3]' (default: all)")
      ->type_name("GLOB");
  verify.add_option("--seed", texts.seed, "Seed of every random choice (default: 1)")
      ->type_name("N");
  verify.add_option("--cases", texts.cases, "Cases that each claim is tried on (default: 1000)")
      ->type_name("N");
  verify
      .add_option("--jobs", texts.jobs,
                  "Claims that are checked at the same time (default: the\n"
                  "number of processors); the report does not depend on it")
      ->type_name("N");
  add_corpus_options(verify, texts);
  verify.add_option("--json", texts.json, "Write everything that was found, as JSON")
      ->type_name("FILE");
  verify.add_option("--junit", texts.junit, "Write the verdicts as JUnit XML")->type_name("FILE");
  verify.add_option("--html", texts.html, "Write the report with its pictures as one HTML file")
      ->type_name("FILE");
  verify.footer(verify_footer());
}

void add_eval(CLI::App& app, AllTexts& texts) {
  CLI::App& eval = *app.add_subcommand("eval",
                                       "Run a layer, forward and backward, on tensors of "
                                       "your own");
  eval.add_option("LAYER", texts.layer, "The layer; see below for their names and options")
      ->required()
      ->type_name("");
  eval.add_option("--in", texts.in, "The tensors that go in: .npz or .safetensors")
      ->required()
      ->type_name("FILE");
  eval.add_option("--out", texts.out, "The tensors that come out: .npz or .safetensors")
      ->required()
      ->type_name("FILE");
  eval.add_option("--scalar", texts.scalar,
                  "double: the reference (default); oracle50: 50 digits,\n"
                  "rounded once at the end; interval: an enclosure, as\n"
                  "<name>_lo and <name>_hi beside <name>")
      ->type_name("double|oracle50|interval");
  eval.add_option("--set", texts.settings, "Options of the layer; may be repeated")
      ->type_name("NAME=VALUE");
  eval.add_flag("--sequence", texts.sequence,
                "x, grad_y and valid have a leading axis of steps; the\n"
                "state is carried from step to step");
  eval.add_option("--mode", texts.mode,
                  "training (default): statistics of the batch, moving the\n"
                  "running ones; inference: running statistics, unmoved")
      ->type_name("training|inference");
  eval.footer(eval_footer());
}

void add_determinism(CLI::App& app, AllTexts& texts) {
  CLI::App& determinism = *app.add_subcommand(
      "determinism", "Compute the bits that the contract promises, a hash a\nprobe");
  determinism
      .add_option("--against", texts.against,
                  "Compare with what --json wrote elsewhere, in one line:\n"
                  "which probe differs first, and both values (default: with\n"
                  "the hashes of the contract, which are in the program)")
      ->type_name("FILE");
  determinism.add_option("--json", texts.json, "Write environment, hashes and bits, as JSON")
      ->type_name("FILE");
  determinism.add_option("--junit", texts.junit, "Write the verdict on each probe as JUnit XML")
      ->type_name("FILE");
  determinism
      .add_option("--threads", texts.threads,
                  "Threads that a computation may use (default: the number\n"
                  "of processors); the bits do not depend on it")
      ->type_name("N");
  determinism
      .add_option("--instruction-set", texts.instruction_set,
                  "baseline, avx2 or avx512 (default: the widest that this\n"
                  "processor has); the bits do not depend on it")
      ->type_name("SET");
  determinism.footer(determinism_footer());
}

CorpusFiles corpus_files(const CLI::App& command) {
  return {path_of(command, "--data"), path_of(command, "--vocab")};
}

VerifyCommand verify_command(const CLI::App& command, const AllTexts& texts) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  VerifyCommand verify;
  verify.claims = texts.claims;
  verify.seed = parse_number<std::uint64_t>("--seed", texts.seed, 0, kMost);
  verify.cases = parse_number<std::size_t>("--cases", texts.cases, 1, 1'000'000'000);
  verify.jobs = thread_count(command, "--jobs", texts.jobs);
  verify.files = corpus_files(command);
  verify.json = path_of(command, "--json");
  verify.junit = path_of(command, "--junit");
  verify.html = path_of(command, "--html");
  return verify;
}

EvalCommand eval_command(const CLI::App& command, const AllTexts& texts) {
  EvalCommand eval;
  eval.layer = texts.layer;
  eval.in = *path_of(command, "--in");
  eval.out = *path_of(command, "--out");
  eval.scalar = parse_choice<EvalScalar>("--scalar", texts.scalar,
                                         {{"double", EvalScalar::float64},
                                          {"oracle50", EvalScalar::oracle50},
                                          {"interval", EvalScalar::interval}});
  eval.mode = parse_choice<ref::model::Mode>(
      "--mode", texts.mode,
      {{"training", ref::model::Mode::training}, {"inference", ref::model::Mode::inference}});
  eval.sequence = texts.sequence;
  for (const std::string& setting : texts.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(
          fmt::format("--set is '{}'; expected NAME=VALUE, such as eps=1e-5", setting));
    }
    const std::string name = setting.substr(0, equals);
    for (const auto& [known, value] : eval.settings)
      if (known == name)
        throw UsageError(fmt::format("--set {} is given twice; expected once", name));
    eval.settings.emplace_back(name, setting.substr(equals + 1));
  }
  return eval;
}

DeterminismCommand determinism_command(const CLI::App& command, const AllTexts& texts) {
  DeterminismCommand determinism;
  determinism.json = path_of(command, "--json");
  determinism.junit = path_of(command, "--junit");
  determinism.against = path_of(command, "--against");
  determinism.threads = thread_count(command, "--threads", texts.threads);
  determinism.instruction_set = texts.instruction_set;
  if (command.count("--instruction-set") > 0 && texts.instruction_set.empty())
    throw UsageError("--instruction-set is ''; expected the name of a set");
  return determinism;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_positional()) names.push_back("--" + option->get_lnames().at(0));
  return names;
}

void refuse_extras(const CLI::App& command, std::string_view kind,
                   const std::vector<std::string>& known) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const std::string& first = extras.front();
  if (first.starts_with("-")) {
    throw UsageError(ref::numeric::unknown_name("option", first.substr(0, first.find('=')),
                                                option_names(command)));
  }
  if (known.empty())
    throw UsageError(
        fmt::format("unexpected argument '{}' of {}; expected options alone", first, kind));
  throw UsageError(ref::numeric::unknown_name(kind, first, known));
}

}  // namespace

OldCommand parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app(program_description(), "normproof");
  AllTexts texts;
  add_verify(app, texts);
  add_eval(app, texts);
  for (const Command& command : all_commands().verbs)
    app.add_subcommand(command.name, command.summary);
  add_determinism(app, texts);
  GoldenTexts golden_texts;
  add_golden(app, golden_texts);
  RegressTexts regress_texts;
  add_regress(app, regress_texts);
  TrainTexts train_texts;
  add_train(app, train_texts);
  TraceTexts trace_texts;
  add_trace(app, trace_texts);
  StudyTexts study_texts;
  add_study(app, study_texts);
  GpuTexts gpu_texts;
  add_gpu(app, gpu_texts);
  add_probe_order(app, gpu_texts);
  app.set_version_flag("--version", "normproof " NORMPROOF_VERSION);
  app.footer(program_footer());
  app.get_formatter()->column_width(22);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Subcommands", "Commands");
  std::vector<std::string> commands;
  for (CLI::App* command : app.get_subcommands({})) {
    command->allow_extras();
    command->group("Commands");
    command->get_formatter()->column_width(22);
    commands.push_back(command->get_name());
  }
  app.allow_extras();
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return TextCommand{app.help()};
  } catch (const CLI::CallForVersion&) {
    return TextCommand{app.version() + "\n"};
  } catch (const CLI::ArgumentMismatch& error) {
    // CLI11 says "--seed: At Most 1 required but received 2".
    const std::string what = error.what();
    const std::size_t colon = what.find(": At Most 1 required but received ");
    if (colon == std::string::npos) throw UsageError(one_line(what));
    throw UsageError(
        fmt::format("{} is given more than once; expected once", what.substr(0, colon)));
  } catch (const CLI::ParseError& error) {
    for (const CLI::App* command : app.get_subcommands())
      refuse_extras(*command, command->get_name(), {});
    throw UsageError(one_line(error.what()));
  }
  const std::vector<CLI::App*> given = app.get_subcommands();
  refuse_extras(app, "command", commands);
  if (given.size() != 1) {
    throw UsageError(fmt::format("{} command is given; expected one of {} (see normproof --help)",
                                 given.empty() ? "no" : "more than one",
                                 fmt::join(commands, ", ")));
  }
  const CLI::App& command = *given.front();
  // verb_of names the verb that is nearest to an unknown one.
  const bool has_verbs = command.get_name() == "golden" || command.get_name() == "regress" ||
                         command.get_name() == "study" || command.get_name() == "gpu";
  if (!has_verbs || !command.get_subcommands().empty())
    refuse_extras(command, command.get_name(), {});
  if (command.get_name() == "verify") return verify_command(command, texts);
  if (command.get_name() == "eval") return eval_command(command, texts);
  if (command.get_name() == "train") return train_command(command, train_texts);
  if (command.get_name() == "trace") return trace_command(command, trace_texts);
  if (command.get_name() == "probe-order") return probe_order_command(command, gpu_texts);
  if (command.get_name() == "determinism") return determinism_command(command, texts);
  if (command.get_name() == "golden") {
    const CLI::App& verb = verb_of(command);
    refuse_extras(verb, "golden " + verb.get_name(), {});
    if (verb.get_name() == "make") return golden_make_command(verb, golden_texts);
    if (verb.get_name() == "export") return golden_export_command(verb, golden_texts);
    if (verb.get_name() == "bless") return golden_bless_command(verb, golden_texts);
    if (verb.get_name() == "relations") return golden_relations_command(verb, golden_texts);
    if (verb.get_name() == "power") return golden_power_command(verb, golden_texts);
    return golden_check_command(verb, golden_texts);
  }
  if (command.get_name() == "study") {
    const CLI::App& verb = verb_of(command);
    refuse_extras(verb, "study " + verb.get_name(), {});
    return study_command(verb, study_texts);
  }
  if (command.get_name() == "gpu") {
    const CLI::App& verb = verb_of(command);
    refuse_extras(verb, "gpu " + verb.get_name(), {});
    if (verb.get_name() == "train") return gpu_train_command(verb, gpu_texts);
    return gpu_agree_command(verb, gpu_texts);
  }
  if (command.get_name() == "regress") {
    const CLI::App& verb = verb_of(command);
    refuse_extras(verb, "regress " + verb.get_name(), {});
    if (verb.get_name() == "record") return regress_record_command(verb, regress_texts);
    return regress_compare_command(verb, regress_texts);
  }
  throw UsageError("no command is given");
}

}  // namespace normproof::verification::cli
