#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// How a document names what the repository has.
enum class Named {
  by_link,  ///< "golden.md#the-gate", from the document's own folder
  by_path,  ///< "ref/norm/norm.hpp" in code, from the root
  by_name,  ///< "norm.hpp" in code: a C++ or CUDA file in some folder
};

struct Mention {
  int line = 0;
  std::string target;
  Named named = Named::by_link;
};

/// The links of a document but those to other hosts, and in its code the paths of ref, gpu,
/// verification, tests and docs and the names of sources. What stands for several, `<layer>.cpp` or
/// `*`, is none, nor is what follows -R and -E, which choose tests.
std::vector<Mention> read_mentions(const std::string& markdown);

/// "what-no-tolerance-finds" for "## What no tolerance finds"
std::string anchor_of(const std::string& heading);

/// One sentence for each file, folder or heading that README.md or a document of docs mentions and
/// that is not there. A path in code may lack its extension. made: folders of what programs make.
/// Throws    std::runtime_error where nothing is mentioned: a check of nothing proves nothing
std::vector<std::string> mention_violations(const std::filesystem::path& root,
                                            const std::vector<std::string>& made);

}  // namespace normproof::tests::meta
