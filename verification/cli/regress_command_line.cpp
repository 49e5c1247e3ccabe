#include "verification/cli/regress_command_line.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "verification/cli/help.hpp"
#include "verification/cli/option_values.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;

namespace {

void add_history(CLI::App& verb, RegressTexts& texts, const char* what) {
  verb.add_option("--history", texts.history, what)->required()->type_name("FILE");
}

void add_record(CLI::App& regress, RegressTexts& texts) {
  CLI::App& record = *regress.add_subcommand(
      "record", "Ask an implementation for every case, and keep the\nfingerprints of its answers");
  record.add_option("--golden", texts.golden, "The corpus that 'normproof golden make' wrote")
      ->required()
      ->type_name("DIR");
  add_history(record, texts, "The history to add a line to; made where it is absent");
  record
      .add_option("--candidate", texts.candidate,
                  "The answers: <path of the case>/expected.safetensors or\n.npz")
      ->type_name("DIR");
  record.add_option("--pipe", texts.pipe, "Or a command that answers a line a case")
      ->type_name("CMD");
  record.add_flag("--self", texts.self, "Or this program itself, in double");
  record
      .add_option("--timeout", texts.timeout,
                  "Seconds that the command may take for an answer\n(default: 60)")
      ->type_name("S");
  record
      .add_option("--label", texts.label,
                  "A name for the recording, such as a commit (default:\nnone; '@3' is line 3)")
      ->type_name("TEXT");
  record.add_option("--only", texts.only, "Cases whose path this glob matches (default: all)")
      ->type_name("GLOB");
  record
      .add_option("--jobs", texts.jobs,
                  "Cases that are recorded at the same time (default: the\nnumber of processors)")
      ->type_name("N");
  record.footer(regress_record_footer());
}

void add_compare(CLI::App& regress, RegressTexts& texts) {
  CLI::App& compare = *regress.add_subcommand(
      "compare",
      "What moved between two recordings, by how many ulp, and\nwhether towards the truth");
  add_history(compare, texts, "The history that 'normproof regress record' wrote");
  compare
      .add_option("--from", texts.from, "Label, or '@3' for line 3 (default: the one before --to)")
      ->type_name("LABEL");
  compare.add_option("--to", texts.to, "Label, or '@4' for line 4 (default: the last one)")
      ->type_name("LABEL");
  compare.add_option("--allow", texts.allow, "What may move: none (default), or towards the truth")
      ->type_name("none|towards");
  compare.add_option("--html", texts.html, "Write the history with its plot as one HTML file")
      ->type_name("FILE");
  compare.add_option("--json", texts.json, "Write what moved as JSON")->type_name("FILE");
  compare.add_option("--junit", texts.junit, "Write JUnit XML")->type_name("FILE");
  compare.footer(regress_compare_footer());
}

}  // namespace

void add_regress(CLI::App& app, RegressTexts& texts) {
  CLI::App& regress = *app.add_subcommand(
      "regress", "Fingerprints of an implementation over commits and\ncompilers");
  add_record(regress, texts);
  add_compare(regress, texts);
  for (CLI::App* verb : regress.get_subcommands({})) {
    verb->allow_extras();
    verb->group("Commands");
    verb->get_formatter()->column_width(22);
  }
  regress.footer(regress_footer());
}

RegressRecordCommand regress_record_command(const CLI::App& verb, const RegressTexts& texts) {
  constexpr int kLongest = 86400;
  RegressRecordCommand record;
  record.golden = *path_of(verb, "--golden");
  record.history = *path_of(verb, "--history");
  record.candidate = path_of(verb, "--candidate");
  if (verb.count("--pipe") > 0) record.pipe = texts.pipe;
  const int ways = (record.candidate ? 1 : 0) + (record.pipe ? 1 : 0) + (texts.self ? 1 : 0);
  if (ways != 1)
    throw UsageError(fmt::format("{} of --candidate, --pipe and --self are given; expected one",
                                 ways == 0 ? "none" : "several"));
  if (record.pipe && record.pipe->empty())
    throw UsageError("--pipe is ''; expected a command for sh");
  record.timeout = parse_number("--timeout", texts.timeout, 1, kLongest);
  record.label = texts.label;
  if (verb.count("--label") > 0 && (texts.label.empty() || texts.label.starts_with('@')))
    throw UsageError(
        fmt::format("--label is '{}'; expected a text that does not begin with @", texts.label));
  record.only = texts.only;
  record.jobs = thread_count(verb, "--jobs", texts.jobs);
  return record;
}

RegressCompareCommand regress_compare_command(const CLI::App& verb, const RegressTexts& texts) {
  RegressCompareCommand compare;
  compare.history = *path_of(verb, "--history");
  if (verb.count("--from") > 0) compare.from = texts.from;
  if (verb.count("--to") > 0) compare.to = texts.to;
  compare.allow_towards =
      parse_choice<bool>("--allow", texts.allow, {{"none", false}, {"towards", true}});
  compare.html = path_of(verb, "--html");
  compare.json = path_of(verb, "--json");
  compare.junit = path_of(verb, "--junit");
  return compare;
}

}  // namespace normproof::verification::cli
