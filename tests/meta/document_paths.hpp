#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// How a document refers to a file of the repository.
enum class Named {
  by_link,  ///< "golden.md#the-gate", relative to the document's folder
  by_path,  ///< "ref/norm/norm.hpp" in code, relative to the root
  by_name,  ///< "norm.hpp" in code: a C++ or CUDA file in some folder
};

struct Mention {
  int line = 0;
  std::string target;
  Named named = Named::by_link;
};

/// Returns the links of a document except those to other hosts, and the paths and source names in
/// its code. Paths begin with ref, gpu, verification, tests or docs. Patterns such as `<layer>.cpp`
/// or `*` are left out, as is the text after -R and -E, which selects tests.
std::vector<Mention> read_mentions(const std::string& markdown);

/// Returns the anchor of a heading: "what-no-tolerance-finds" for "## What no tolerance finds".
std::string anchor_of(const std::string& heading);

/// Returns one sentence for each file, folder or heading that README.md or a document of docs
/// mentions but that does not exist. A path in code may lack its extension. `made` lists folders
/// that programs create.
/// Throws    std::runtime_error if nothing is mentioned, since such a check would prove nothing
std::vector<std::string> mention_violations(const std::filesystem::path& root,
                                            const std::vector<std::string>& made);

}  // namespace normproof::tests::meta
