#pragma once

#include <string>

namespace normproof::verification::operands {

/// The descriptions of ref/model/norm_layers.hpp, in the order of its list.

/// A paragraph a layer.
std::string layers_text();

/// An array of objects with the keys of docs/formats.md, indented by 1: what the adapters of
/// verification/interop read.
std::string layers_json();

/// The table of docs/formats.md.
std::string layers_markdown();

}  // namespace normproof::verification::operands
