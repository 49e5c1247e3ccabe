#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// A requirement (Cn) of a contract comment.
struct Requirement {
  std::string header;    ///< "ref/norm/layer_norm", without its extension
  std::string function;  ///< "layer_norm"; the header's name where the comment is of the whole file
  int clause = 0;
  std::string text;  ///< "every extent of x >= 1"

  std::string label() const;  ///< "ref/norm/layer_norm:C1"
  bool operator==(const Requirement&) const = default;
};

/// The requirements that a header states under "Requires" in its comments. One that is another's,
/// "(C3) of optimizer_step" or "(C2) to (C5)", is stated there and not here; one that two overloads
/// state is one.
std::vector<Requirement> read_requirements(const std::string& header, const std::string& text);

/// Those of every header of the folders, and of the folders in them.
/// Throws    std::runtime_error where there is none: a check of nothing proves nothing
std::vector<Requirement> requirements_of(const std::filesystem::path& root,
                                         const std::vector<std::string>& folders);

/// A heading a folder, and a row a requirement: what docs/specification/requirements.md has below
/// its introduction.
std::string requirements_markdown(const std::vector<Requirement>& requirements);

/// One sentence for each row that the specification lacks, and for each that no header states.
std::vector<std::string> specification_violations(const std::vector<Requirement>& requirements,
                                                  const std::string& markdown);

/// One sentence for each requirement whose clause no check in its folder or in ref/tensor names,
/// `Clause::C2`; and for each clause that a check names and no header of the folder states. A
/// device's folder states what the folder of ref with its name states. What a clause is compared
/// with, `== Clause::C2`, may be another folder's.
std::vector<std::string> check_violations(const std::filesystem::path& root,
                                          const std::vector<Requirement>& requirements,
                                          const std::string& exceptions);

/// One sentence for each requirement of a header of gpu whose number the header of ref with its
/// name does not state.
std::vector<std::string> device_violations(const std::vector<Requirement>& of_devices,
                                           const std::vector<Requirement>& requirements);

/// One sentence for each requirement without a test of its clause: TEST(Suite, C2EpsIsBelowZero) in
/// a file tests/<header>*_test.cpp, whose suite is named after the function where functions of one
/// header number anew; and for each such test of a clause that its header does not state, or that
/// looks at no refusal.
std::vector<std::string> test_violations(const std::filesystem::path& root,
                                         const std::vector<Requirement>& requirements,
                                         const std::string& exceptions);

/// One sentence for each exception that is not needed, or has no reason. exceptions: a line
/// "because <reason>", then labels of the requirements that it holds for.
std::vector<std::string> exception_violations(const std::filesystem::path& root,
                                              const std::vector<Requirement>& requirements,
                                              const std::string& exceptions);

}  // namespace normproof::tests::meta
