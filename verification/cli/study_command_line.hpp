#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/study.hpp"

namespace normproof::verification::cli {

/// The options of `normproof study` and its verbs, as text.
struct StudyTexts {
  std::string protocols, tables, figures, norms, rates, padding, seeds, gradient_seeds, cells;
  std::string data, vocab, validation, out, jobs, device;
  bool quick = false, json = false, no_initialization = false;
};

void add_study(CLI::App& app, StudyTexts& texts);

/// `verb` is the one that is given. As a rank of mpirun a program has one job where --jobs is not
/// given.
/// Throws    UsageError
StudyCommand study_command(const CLI::App& verb, const StudyTexts& texts);

}  // namespace normproof::verification::cli
