#include "verification/cli/options.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "ref/numeric/errors.hpp"
#include "verification/cli/shell_line.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli {

using ref::numeric::UsageError;
using support::report::wrap;

namespace {

// The width of help texts. Together with 22 columns for the names, it fits a terminal of 80
// columns.
constexpr std::size_t kHelpWidth = 58;

template <class Field>
CLI::Option* add_path_option(CLI::App& app, const std::string& name, Field& field, const char* kind,
                             const std::string& help, const char* type) {
  const auto parse = [name, kind](const std::string& text) -> std::filesystem::path {
    if (text.empty())
      throw UsageError(fmt::format("{} is ''; expected the name of a {}", name, kind));
    return text;
  };
  const auto print = [](const std::filesystem::path& path) { return path.string(); };
  return add_value_option(app, name, field, parse, print, help, type);
}

/// Joins names into an enumeration such as "a, b and c".
std::string join_with_and(const Texts& names) {
  const Texts before(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(before, ", "), names.back());
}

template <class Field>
CLI::Option* add_any_text_option(CLI::App& app, const std::string& name, Field& field,
                                 const std::string& help, const std::string& type,
                                 const std::optional<TextConstraint>& rule) {
  const auto parse = [name, rule](const std::string& text) {
    if (rule && !rule->accepts(text))
      throw UsageError(fmt::format("{} is '{}'; expected {}", name, text, rule->expectation));
    return text;
  };
  return add_value_option(
      app, name, field, parse, [](const std::string& text) { return text; }, help, type);
}

}  // namespace

std::string help_lines(const std::string& text) {
  return fmt::format("{}", fmt::join(wrap(text, kHelpWidth), "\n"));
}

CLI::Option* add_bound_option(CLI::App& app, const std::string& name, OptionBinding binding,
                              const std::string& help, const std::string& type) {
  const auto read = [read = std::move(binding.read)](const CLI::results_t& given) {
    read(given);
    return true;
  };
  // CLI11 stores the current value as one text. Here it is quoted for a shell.
  const auto write = [write = std::move(binding.write)] {
    Texts words = write();
    for (std::string& word : words) word = shell_word(word);
    return fmt::format("{}", fmt::join(words, " "));
  };
  return app.add_option(name, read, help_lines(help), false, write)
      ->type_name(name.starts_with("-") ? type : "");
}

std::string option_kind(const std::string& name) {
  std::string kind = name;
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return kind;
}

CLI::Option* accept_several_values(CLI::Option* option) {
  return option->expected(1, -1)->allow_extra_args();
}

CLI::Option* require(CLI::Option* option) {
  return option->required();
}

CLI::Option* add_text_option(CLI::App& app, const std::string& name, std::string& field,
                             const std::string& help, const std::string& type,
                             std::optional<TextConstraint> rule) {
  return add_any_text_option(app, name, field, help, type, rule);
}

CLI::Option* add_text_option(CLI::App& app, const std::string& name,
                             std::optional<std::string>& field, const std::string& help,
                             const std::string& type, std::optional<TextConstraint> rule) {
  return add_any_text_option(app, name, field, help, type, rule);
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& field,
                      const std::string& help) {
  return app.add_flag(name, field, help_lines(help))->default_function([&field] {
    return std::string(field ? "true" : "");
  });
}

CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::filesystem::path& field,
                             const std::string& help) {
  return add_path_option(app, name, field, "file", help, "FILE");
}

CLI::Option* add_file_option(CLI::App& app, const std::string& name,
                             std::optional<std::filesystem::path>& field, const std::string& help) {
  return add_path_option(app, name, field, "file", help, "FILE");
}

CLI::Option* add_folder_option(CLI::App& app, const std::string& name, std::filesystem::path& field,
                               const std::string& help) {
  return add_path_option(app, name, field, "folder", help, "DIR");
}

CLI::Option* add_folder_option(CLI::App& app, const std::string& name,
                               std::optional<std::filesystem::path>& field,
                               const std::string& help) {
  return add_path_option(app, name, field, "folder", help, "DIR");
}

CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& field,
                          const std::string& help, const std::string& type,
                          const std::string& example) {
  const auto read = [&field, name, type, example](const Texts& given) {
    field.clear();
    for (const std::string& setting : given) {
      const std::size_t equals = setting.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError(
            fmt::format("{} is '{}'; expected {}, such as {}", name, setting, type, example));
      field.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
  };
  const auto write = [&field] {
    Texts texts;
    for (const auto& [key, value] : field) texts.push_back(fmt::format("{}={}", key, value));
    return texts;
  };
  return accept_several_values(add_bound_option(app, name, {read, write}, help, type));
}

CLI::Option* add_list_option(CLI::App& app, const std::string& name,
                             std::vector<std::string>& field, const std::string& help) {
  const auto read = [&field, name](const Texts& given) {
    field.clear();
    for (const std::string& list : given)
      for (std::string& one : split_list(name, list)) field.push_back(std::move(one));
  };
  const auto write = [&field] {
    return field.empty() ? Texts() : Texts{fmt::format("{}", fmt::join(field, ","))};
  };
  return accept_several_values(add_bound_option(app, name, {read, write}, help, "LIST"));
}

void set_footer(CLI::App& app, const std::string& text) {
  app.footer(text);
}

bool is_given(const CLI::App& app, const std::string& name) {
  return app.count(name) > 0;
}

void check_after_parsing(CLI::App& app, std::function<void()> check) {
  app.final_callback(std::move(check));
}

void require_one_option_of(CLI::App& app, const std::vector<std::string>& names) {
  Texts given;
  for (const std::string& name : names)
    if (is_given(app, name)) given.push_back(name);
  if (given.size() == 1) return;
  if (given.empty())
    throw UsageError(
        fmt::format("none of {} is given; expected one of them", join_with_and(names)));
  throw UsageError(fmt::format("{} are given; expected one of {} alone", join_with_and(given),
                               join_with_and(names)));
}

Texts split_list(const std::string& option, const std::string& text) {
  Texts words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    if (words.back().empty())
      throw UsageError(fmt::format("{} is '{}'; expected names with commas between", option, text));
    begin = end + 1;
  }
  return words;
}

Command group(std::string name, std::string summary, const std::string& footer,
              std::vector<Command> subcommands) {
  return {std::move(name), std::move(summary),
          [footer](CLI::App& app) {
            set_footer(app, footer);
            return Run();
          },
          std::move(subcommands)};
}

}  // namespace normproof::verification::cli
