#pragma once

#include <string_view>
#include <vector>

#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::mutations {

/// One mistake at several sites at once. For example, somebody who forgets a factor in the forward
/// differentiates the wrong formula, and somebody who misreads a convention misreads it everywhere.
struct JointSite {
  std::string_view name;
  std::vector<MutationOperator> offered;
  /// The names of its sites; a name that ends in '*' matches every site that begins with it.
  std::vector<std::string_view> sites;
  std::string_view needs = {};  ///< a required site, without which this would be another joint site

  bool has(std::string_view site) const;
};

/// Returns all joint sites. A joint site is offered if at least two of its sites are passed,
/// including the required one.
const std::vector<JointSite>& joint_sites();

/// Returns the joint site of that name, or null.
const JointSite* joint_site(std::string_view name);

}  // namespace normproof::verification::golden::mutations
