#pragma once

#include <string>

#include "verification/training/language_model.hpp"

namespace normproof::verification::training {

/// What a language model has follow a text, character by character: the likeliest one each time,
/// the first of equal ones.
/// Computes  `length` characters behind `prompt`, by IncrementalEncoder. The model sees no more
///           than its context: where that is full it begins anew with the last half of it
/// Requires  (C1) the prompt has a character
/// Throws    ContractError; FileError where a character is none of the alphabet's
std::string complete(const LanguageModel& model, const std::string& prompt, std::size_t length);

}  // namespace normproof::verification::training
