#include "verification/golden/corpus/layer_traits.hpp"

#include <algorithm>

#include "ref/model/operation.hpp"
#include "ref/norm/norm.hpp"

namespace normproof::verification::golden::corpus {

bool is_layer(std::string_view operation) {
  return !ref::model::is_function(operation) && !is_encoder(operation) && !is_optimizer(operation);
}

bool is_encoder(std::string_view operation) {
  const std::vector<std::string> names = ref::model::encoder_operation_names();
  return std::ranges::find(names, operation) != names.end();
}

bool is_optimizer(std::string_view operation) {
  const std::vector<std::string> names = ref::model::optimizer_names();
  return std::ranges::find(names, operation) != names.end();
}

bool has_option(std::string_view layer, std::string_view option) {
  const auto options = ref::model::list_options(ref::model::norm_options(layer));
  return std::ranges::any_of(options, [&](const auto& entry) { return entry.first == option; });
}

bool has_state(std::string_view layer) {
  return !ref::norm::initial_state<double>(ref::model::norm_options(layer), 1).empty();
}

bool needs_tokens(std::string_view layer) {
  return layer == "group_norm" || layer == "instance_norm";
}

bool is_centred(std::string_view layer) {
  return needs_tokens(layer) || layer == "layer_norm" || layer == "batch_norm" ||
         layer == "batch_renorm";
}

bool looks_at_mask(std::string_view layer) {
  return has_state(layer) || needs_tokens(layer);
}

bool along_rows(std::string_view layer) {
  return has_state(layer) || layer == "instance_norm";
}

}  // namespace normproof::verification::golden::corpus
