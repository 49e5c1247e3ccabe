#pragma once

#include <string>

namespace normproof::verification::operands {

/// The descriptions of ref/model/norm_layers.hpp, in the order of its list, and of the functions of
/// ref/model/operation.hpp.

/// A paragraph a layer, and a function.
std::string layers_text();

/// An array of objects with the keys of docs/formats.md, indented by 1: what the adapters of
/// verification/interop and the package of verification/bindings/python read.
std::string layers_json();

/// The table of docs/formats.md, of the layers alone.
std::string layers_markdown();

}  // namespace normproof::verification::operands
