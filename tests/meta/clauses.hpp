#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// A requirement (Cn) of a contract comment.
struct Requirement {
  std::string header;  ///< "ref/norm/layer_norm", without its extension
  /// "layer_norm"; the header's name if the comment documents the whole file.
  std::string function;
  int clause = 0;
  std::string text;  ///< "every extent of x >= 1"

  std::string label() const;  ///< Returns "ref/norm/layer_norm:C1".
  bool operator==(const Requirement&) const = default;
};

/// Returns the requirements that a header states under "Requires" in its comments. A reference to
/// another function's requirement, such as "(C3) of optimizer_step" or "(C2) to (C5)", does not
/// count. A requirement that two overloads state counts once.
std::vector<Requirement> read_requirements(const std::string& header, const std::string& text);

/// Returns the requirements of every header below the folders.
/// Throws    std::runtime_error if there is none, since such a check would prove nothing
std::vector<Requirement> read_all_requirements(const std::filesystem::path& root,
                                               const std::vector<std::string>& folders);

/// Returns the content of docs/specification/requirements.md below its introduction: one heading
/// per folder and one row per requirement.
std::string requirements_markdown(const std::vector<Requirement>& requirements);

/// Returns one sentence for each row that the specification lacks, and for each row that no header
/// states.
std::vector<std::string> specification_violations(const std::vector<Requirement>& requirements,
                                                  const std::string& markdown);

/// Returns one sentence for each requirement whose clause (`Clause::C2`) no check in its folder or
/// in ref/tensor names, and for each clause that a check names but no header of the folder states.
/// A folder of gpu also has the requirements of the folder of ref with its name. A comparison such
/// as `== Clause::C2` may name a clause of another folder.
std::vector<std::string> check_violations(const std::filesystem::path& root,
                                          const std::vector<Requirement>& requirements,
                                          const std::string& exceptions);

/// Returns one sentence for each requirement of a header of gpu whose number the header of ref with
/// the same name does not state.
std::vector<std::string> device_violations(const std::vector<Requirement>& of_devices,
                                           const std::vector<Requirement>& requirements);

/// Returns one sentence for each requirement without a test of its clause, and for each test of a
/// clause that its header does not state or that examines no rejection. A test of a clause is
/// TEST(Suite, C2_RejectsEpsBelowZero) in a file tests/<header>*_test.cpp. If functions of one
/// header use the same clause numbers, its suite must be named after the function.
std::vector<std::string> test_violations(const std::filesystem::path& root,
                                         const std::vector<Requirement>& requirements,
                                         const std::string& exceptions);

/// Returns one sentence for each exception that is not needed or has no reason. `exceptions` has a
/// line "because <reason>", followed by the labels of the requirements that it applies to.
std::vector<std::string> exception_violations(const std::filesystem::path& root,
                                              const std::vector<Requirement>& requirements,
                                              const std::string& exceptions);

}  // namespace normproof::tests::meta
