#pragma once

#include <map>
#include <string>
#include <vector>

namespace normproof::verification::golden::museum {

/// Returns, for exhibits by name, the names of mistakes that describe their bug (Diagnosis::what).
/// An exhibit that is absent has no such name: the gate must name no mistake. A bug may have
/// several names, because its effect differs from case to case.
const std::map<std::string, std::vector<std::string>>& right_names();

/// Whether `name` describes the bug of the exhibit.
bool is_right_name(const std::string& exhibit, const std::string& name);

}  // namespace normproof::verification::golden::museum
