#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace normproof::tests::meta {

/// The keys of a bibliography: "@article{Dek71, ..." has Dek71.
std::set<std::string> read_keys(const std::string& bibliography);

/// The keys that a text cites: [Dek71], [VSP+17, XYH+20].
std::set<std::string> cited_keys(const std::string& text);

/// One sentence for each key that a header, a source or a document of root's ref, gpu,
/// verification, tests and docs, or its README.md, cites and docs/references.bib does not have; for
/// each entry that nothing cites; and for each that is there twice.
/// Throws    std::runtime_error where nothing is cited: a check of nothing proves nothing
std::vector<std::string> citation_violations(const std::filesystem::path& root);

}  // namespace normproof::tests::meta
