#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {
struct CheckSuite;  // forward declaration, since checks.hpp takes long to compile
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

/// A value, or a function that computes the value when it is needed.
template <class T>
class LazyValue {
 public:
  LazyValue() = default;
  LazyValue(T value) : make_([value = std::move(value)] { return value; }) {}
  template <std::invocable F>
  LazyValue(F make) : make_(std::move(make)) {}

  explicit operator bool() const { return make_ != nullptr; }
  T operator()() const { return make_(); }

 private:
  std::function<T()> make_;
};

/// The result of a command. write_output() generates every form of report from it.
///
/// Only the forms that the user requests are generated. The functions in an Output must not refer
/// to the command, which may no longer exist when they are called.
struct Output {
  ExitStatus status = kSuccess;
  LazyValue<support::report::Document> document = {};  ///< the report for people
  /// The results as checks, for reports that other programs read. If absent, there is one check,
  /// which passes if `status` is kSuccess.
  LazyValue<support::report::Checks> checks = {};

  // Output that the command formats itself. If absent, it is generated from the members above.
  LazyValue<std::string> text = {};  ///< text for standard output; by default the document
  /// The JSON for standard output. If absent, the JSON is generated from `checks`, with one line
  /// per check. Without checks it is generated from `document`.
  LazyValue<std::string> json = {};
  LazyValue<std::string> html = {};
  LazyValue<std::string> markdown = {};
};

/// Returns the output of a command that only prints text and has no report.
Output printed(std::string text, ExitStatus status = kSuccess);

struct ReportOptions;

/// Prints the text or, if `reports` requests it, the JSON on standard output. Then writes the
/// requested files. If one file fails, the others are written nevertheless.
///
/// Throws    FileError of the first file that failed
void write_output(const Output& output, const ReportOptions& reports);

}  // namespace normproof::verification::cli
