#pragma once

#include "ref/data/synthetic_text.hpp"
#include "verification/language_study/study_data.hpp"

namespace normproof::verification::language_study {

/// A made-up text of a few steps an epoch.
inline StudyData small_data() {
  return {training::split_text(ref::data::synthetic_text(1, 60), "small text")};
}

/// A quick cell, the smallest there is.
inline Cell quick_cell(const std::string& norm) {
  return {.norm = norm, .size = Size::quick};
}

}  // namespace normproof::verification::language_study
