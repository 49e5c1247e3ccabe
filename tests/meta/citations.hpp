#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// Returns the keys of a bibliography, such as Dek71 for "@article{Dek71, ...".
std::set<std::string> read_keys(const std::string& bibliography);

/// Returns the keys that a text cites, as in [Dek71] or [VSP+17, XYH+20].
std::set<std::string> cited_keys(const std::string& text);

/// Returns one sentence for each key that a source or document below root's ref, gpu, verification,
/// tests and docs, or its README.md, cites but docs/references.bib lacks; for each entry that
/// nothing cites; and for each duplicate entry.
/// Throws    std::runtime_error if nothing is cited, since such a check would prove nothing
std::vector<std::string> citation_violations(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
