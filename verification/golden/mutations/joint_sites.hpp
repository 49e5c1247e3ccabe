#pragma once

#include <string_view>
#include <vector>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::mutations {

/// One mistake at several sites at once: whoever forgets a factor in the forward differentiates
/// what he has, and whoever takes a convention for another one does so wherever it is used.
struct JointSite {
  std::string_view name;
  std::vector<MutationOperator> offered;
  /// The names of its sites; one that ends in '*' is the beginning of names.
  std::vector<std::string_view> sites;
  std::string_view needs = {};  ///< one of them, without which it would be another joint site

  bool has(std::string_view site) const;
};

/// All joint sites. One is offered where two of its sites are passed, and the one that it needs.
const std::vector<JointSite>& joint_sites();

/// The joint site of that name, or null.
const JointSite* joint_site(std::string_view name);

}  // namespace normproof::verification::golden::mutations
