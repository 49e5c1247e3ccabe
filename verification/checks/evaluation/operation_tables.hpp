#pragma once

#include <string>

namespace normproof::verification::checks::evaluation {

/// The descriptions of ref/model/operation_info.hpp and norm_layers.hpp, in the order of
/// model::operations().

/// A paragraph per operation.
std::string operations_text();

/// An array of objects with the keys of docs/guide/formats.md, indented by 1: the adapters of
/// verification/interop and the package of verification/bindings/python read it.
std::string operations_json();

/// The table of docs/guide/formats.md, which has the layers only.
std::string layers_markdown();

}  // namespace normproof::verification::checks::evaluation
