#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {
struct CheckSuite;  // checks.hpp, which takes long to compile
using Checks = std::vector<CheckSuite>;
}  // namespace normproof::verification::support::report

namespace normproof::verification::cli {

enum ExitStatus : int {
  kSuccess = 0,
  kNumericalFailure = 1,
  kUsageError = 2,
  kFileError = 3,
  kNoDevice = 77,
};

/// A value, or a function that makes it when it is needed.
template <class T>
class Lazy {
 public:
  Lazy() = default;
  Lazy(T value) : make_([value = std::move(value)] { return value; }) {}
  template <std::invocable F>
  Lazy(F make) : make_(std::move(make)) {}

  explicit operator bool() const { return make_ != nullptr; }
  T operator()() const { return make_(); }

 private:
  std::function<T()> make_;
};

/// The result of a command. `write_output` makes every form of report from it.
///
/// A form that nobody requests is not made. Functions must not refer to the command, which may be
/// gone before they are called.
struct Output {
  ExitStatus status = kSuccess;
  Lazy<support::report::Document> document = {};  ///< the report for people
  /// The verdicts for other programs. If absent: one check, which passes if `status` is kSuccess.
  Lazy<support::report::Checks> checks = {};

  // Forms that this command writes in its own way. If absent they are made from the above.
  Lazy<std::string> text = {};  ///< standard output; by default the document as text
  Lazy<std::string> json = {};  ///< by default one line per check, or without checks the document
  Lazy<std::string> html = {};
  Lazy<std::string> markdown = {};
};

/// Returns the output of a command that prints text and has no report.
Output printed(std::string text, ExitStatus status = kSuccess);

struct ReportOptions;

/// Prints the text on standard output, or the JSON if `reports` says so, and writes the requested
/// files. All of them are tried, also after one has failed.
///
/// Throws    FileError, that of the first one that failed
void write_output(const Output& output, const ReportOptions& reports);

}  // namespace normproof::verification::cli
