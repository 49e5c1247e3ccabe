#include "verification/cli/golden_command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

void add_only(CLI::App& verb, GoldenTexts& texts) {
  verb.add_option("--only", texts.only, "Cases whose path this glob matches (default: all)")
      ->type_name("GLOB");
}

void add_corpus(CLI::App& verb, GoldenTexts& texts) {
  verb.add_option("--golden", texts.golden, "The corpus that 'normproof golden make' wrote")
      ->required()
      ->type_name("DIR");
}

void add_new_folder(CLI::App& verb, GoldenTexts& texts) {
  verb.add_option("--out", texts.out, "The folder to make; it is not there yet, or empty")
      ->required()
      ->type_name("DIR");
}

void add_jobs(CLI::App& verb, GoldenTexts& texts, const char* what) {
  verb.add_option("--jobs", texts.jobs, what)->type_name("N");
}

void add_make(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& make =
      *golden.add_subcommand("make", "Write a corpus: inputs, and what is expected of them");
  add_new_folder(make, texts);
  make.add_option("--tier", texts.tier,
                  "quick (default), standard or full, or several of them\n"
                  "with commas between")
      ->type_name("TIER");
  add_only(make, texts);
  add_jobs(make, texts,
           "Cases that are certified at the same time (default: the\n"
           "number of processors); no byte depends on it");
  make.footer(golden_make_footer());
}

void add_bless(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& bless =
      *golden.add_subcommand("bless", "Make a corpus again, and change what is expected");
  add_corpus(bless, texts);
  bless.add_option("--reason", texts.reason, "Why (default: the terminal is asked)")
      ->type_name("TEXT");
  bless
      .add_option("--tier", texts.tier,
                  "Tiers besides those that the corpus has, with commas\nbetween")
      ->type_name("TIER");
  add_only(bless, texts);
  add_jobs(bless, texts,
           "Cases that are certified at the same time (default: the\n"
           "number of processors)");
  bless.footer(golden_bless_footer());
}

void add_pipe(CLI::App& verb, GoldenTexts& texts, const char* what) {
  verb.add_option("--pipe", texts.pipe, what)->type_name("CMD");
  verb.add_option("--timeout", texts.timeout,
                  "Seconds that the command may take for an answer\n(default: 60)")
      ->type_name("S");
}

void add_check(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& check = *golden.add_subcommand("check", "Hold an implementation against a corpus");
  add_corpus(check, texts);
  check
      .add_option("--candidate", texts.candidate,
                  "The answers: <path of the case>/expected.safetensors or\n"
                  ".npz, with the names of the corpus")
      ->type_name("DIR");
  add_pipe(check, texts,
           "Or a command that reads a line a case and prints its\n"
           "answer (docs/formats.md)");
  add_only(check, texts);
  check
      .add_option("--outputs", texts.outputs,
                  "The outputs to check, with commas between (default: y,\n"
                  "the gradients and the state, and statistics that are\n"
                  "there)")
      ->type_name("LIST");
  check
      .add_option("--accumulation", texts.accumulation,
                  "The dtype of the candidate's sums (default: float32 for\n"
                  "16 bits, else the dtype of the case)")
      ->type_name("DTYPE");
  check
      .add_option("--formula", texts.formula,
                  "two_pass (default), or one_pass: E[x^2] - E[x]^2 is\n"
                  "right too, and off by what it may lose")
      ->type_name("NAME");
  check
      .add_option("--min-cases", texts.min_cases,
                  "Fewer cases that are not declined are a failure\n(default: 1)")
      ->type_name("N");
  check
      .add_option("--xfail", texts.xfail,
                  "Cases that are known to fail, a glob a line; one that\npasses is a failure")
      ->type_name("FILE");
  check.add_option("--json", texts.json, "Write one JSON object a case and line")
      ->type_name("FILE");
  check.add_option("--junit", texts.junit, "Write JUnit XML")->type_name("FILE");
  check.add_option("--sarif", texts.sarif, "Write SARIF 2.1.0")->type_name("FILE");
  check.add_option("--markdown", texts.markdown, "Write the summary of a CI job")
      ->type_name("FILE");
  add_jobs(check, texts,
           "Cases that are checked at the same time (default: the\n"
           "number of processors)");
  check.footer(golden_check_footer());
}

void add_export(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& verb =
      *golden.add_subcommand("export", "Write the cases of a corpus in another format");
  add_corpus(verb, texts);
  verb.add_option("--format", texts.format,
                  "npz: NumPy; onnx: test_data_set_0/*.pb; text: a line a\ncase, as --pipe has it")
      ->required()
      ->type_name("npz|onnx|text");
  add_new_folder(verb, texts);
  add_only(verb, texts);
  verb.footer(golden_export_footer());
}

void add_relations(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& verb = *golden.add_subcommand(
      "relations", "Hold the answers to variants of a case against each other");
  add_corpus(verb, texts);
  add_pipe(verb, texts,
           "A command that reads a line a case and prints its\n"
           "answer (docs/formats.md)");
  add_only(verb, texts);
  verb.add_option("--relations", texts.relations,
                  "repeat, memory, split, permute or neighbour, or several\n"
                  "of them with commas between (default: all)")
      ->type_name("LIST");
  verb.add_option("--json", texts.json, "Write one JSON object a case and relation, a line each")
      ->type_name("FILE");
  verb.add_option("--junit", texts.junit, "Write JUnit XML")->type_name("FILE");
  verb.footer(golden_relations_footer());
}

void add_power(CLI::App& golden, GoldenTexts& texts) {
  CLI::App& power =
      *golden.add_subcommand("power", "How many wrong implementations the corpus rejects");
  power.add_option("--tier", texts.tier, "quick (default), standard or full")->type_name("TIER");
  power.add_option("--layer", texts.layer, "Layers whose name this glob matches (default: all)")
      ->type_name("GLOB");
  power
      .add_option(
          "--seeds", texts.seeds,
          "Corpora to try: that of 'make', and others of other\nrandom numbers (default: 1)")
      ->type_name("N");
  power
      .add_option("--accumulation", texts.accumulation,
                  "Right implementations alone, whose every operation is of\n"
                  "this format: float16 or bfloat16")
      ->type_name("DTYPE");
  power
      .add_option("--formula", texts.formula,
                  "one_pass: right implementations alone, whose variance is\nE[x^2] - E[x]^2")
      ->type_name("NAME");
  power.add_option("--json", texts.json, "Write every verdict as JSON")->type_name("FILE");
  power
      .add_option("--markdown", texts.markdown,
                  "Write the report with the case that rejects each\nwrong implementation first")
      ->type_name("FILE");
  add_jobs(power, texts,
           "Implementations that run at the same time (default: the\n"
           "number of processors)");
  power.footer(golden_power_footer());
}

std::vector<std::string> split(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    if (words.back().empty())
      throw UsageError(fmt::format("{} is '{}'; expected names with commas between", option, text));
    begin = end + 1;
  }
  return words;
}

/// What each name between commas stands for, each once.
template <class T>
std::vector<T> parse_names(const char* option, const std::string& text, T (*of)(std::string_view)) {
  std::vector<T> values;
  for (const std::string& name : split(option, text)) {
    const T value = of(name);
    if (std::ranges::find(values, value) != values.end())
      throw UsageError(fmt::format("{} names {} twice; expected once", option, name));
    values.push_back(value);
  }
  return values;
}

std::vector<golden::corpus::Tier> parse_tiers(const std::string& text) {
  return parse_names("--tier", text, golden::corpus::tier_of);
}

double parse_seconds(const std::string& text) {
  constexpr int kMostSeconds = 86400;
  return parse_number("--timeout", text, 1, kMostSeconds);
}

}  // namespace

void add_golden(CLI::App& app, GoldenTexts& texts) {
  CLI::App& golden = *app.add_subcommand(
      "golden", "Certified expected values, and implementations held\nagainst them");
  add_make(golden, texts);
  add_check(golden, texts);
  add_relations(golden, texts);
  add_power(golden, texts);
  add_bless(golden, texts);
  add_export(golden, texts);
  for (CLI::App* verb : golden.get_subcommands({})) {
    verb->allow_extras();
    verb->group("Commands");
    verb->get_formatter()->column_width(22);
  }
  golden.footer(golden_footer());
}

GoldenMakeCommand golden_make_command(const CLI::App& verb, const GoldenTexts& texts) {
  GoldenMakeCommand make;
  make.out = *path_of(verb, "--out");
  make.tiers = parse_tiers(texts.tier);
  make.only = texts.only;
  make.jobs = thread_count(verb, "--jobs", texts.jobs);
  return make;
}

GoldenBlessCommand golden_bless_command(const CLI::App& verb, const GoldenTexts& texts) {
  GoldenBlessCommand bless;
  bless.golden = *path_of(verb, "--golden");
  bless.only = texts.only;
  if (verb.count("--tier") > 0) bless.tiers = parse_tiers(texts.tier);
  if (verb.count("--reason") > 0) {
    if (texts.reason.find_first_not_of(" \t\n") == std::string::npos)
      throw UsageError(fmt::format("--reason is '{}'; expected a sentence", texts.reason));
    bless.reason = texts.reason;
  }
  bless.jobs = thread_count(verb, "--jobs", texts.jobs);
  return bless;
}

GoldenExportCommand golden_export_command(const CLI::App& verb, const GoldenTexts& texts) {
  return {*path_of(verb, "--golden"), *path_of(verb, "--out"),
          golden::gate::export_format_of(texts.format), texts.only};
}

GoldenRelationsCommand golden_relations_command(const CLI::App& verb, const GoldenTexts& texts) {
  GoldenRelationsCommand command;
  command.golden = *path_of(verb, "--golden");
  if (texts.pipe.empty())
    throw UsageError(
        "--pipe is absent or ''; expected a command for sh, which is asked again and again");
  command.pipe = texts.pipe;
  command.timeout = parse_seconds(texts.timeout);
  command.only = texts.only;
  if (verb.count("--relations") > 0)
    command.relations = parse_names("--relations", texts.relations, golden::gate::relation_of);
  command.json = path_of(verb, "--json");
  command.junit = path_of(verb, "--junit");
  return command;
}

GoldenPowerCommand golden_power_command(const CLI::App& verb, const GoldenTexts& texts) {
  constexpr std::size_t kMostSeeds = 10'000;
  GoldenPowerCommand power;
  power.options.tier = golden::corpus::tier_of(texts.tier);
  power.options.only = texts.layer;
  power.options.seeds = parse_number<std::size_t>("--seeds", texts.seeds, 1, kMostSeeds);
  power.options.jobs = thread_count(verb, "--jobs", texts.jobs);
  if (verb.count("--accumulation") > 0)
    power.options.accumulation = golden::corpus::accumulation_of(texts.accumulation);
  if (verb.count("--formula") > 0) power.options.formula = golden::gate::formula_of(texts.formula);
  power.json = path_of(verb, "--json");
  power.markdown = path_of(verb, "--markdown");
  return power;
}

GoldenCheckCommand golden_check_command(const CLI::App& verb, const GoldenTexts& texts) {
  GoldenCheckCommand check;
  check.golden = *path_of(verb, "--golden");
  check.candidate = path_of(verb, "--candidate");
  if (verb.count("--pipe") > 0) check.pipe = texts.pipe;
  if (check.candidate.has_value() == check.pipe.has_value())
    throw UsageError(check.pipe ? "--candidate and --pipe are both given; expected one of them"
                                : "neither --candidate nor --pipe is given; expected one of them");
  if (check.pipe && check.pipe->empty())
    throw UsageError("--pipe is ''; expected a command for sh");
  check.timeout = parse_seconds(texts.timeout);
  check.only = texts.only;
  if (verb.count("--outputs") > 0) check.options.outputs = split("--outputs", texts.outputs);
  if (verb.count("--accumulation") > 0)
    check.options.accumulation = golden::corpus::accumulation_of(texts.accumulation);
  if (verb.count("--formula") > 0) check.options.formula = golden::gate::formula_of(texts.formula);
  check.min_cases = parse_number<std::size_t>("--min-cases", texts.min_cases, 1, 1'000'000'000);
  check.jobs = thread_count(verb, "--jobs", texts.jobs);
  check.xfail = path_of(verb, "--xfail");
  check.json = path_of(verb, "--json");
  check.junit = path_of(verb, "--junit");
  check.sarif = path_of(verb, "--sarif");
  check.markdown = path_of(verb, "--markdown");
  return check;
}

}  // namespace normproof::verification::cli
