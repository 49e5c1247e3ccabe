#pragma once

#include "ref/data/synthetic_pairs.hpp"
#include "ref/data/synthetic_text.hpp"
#include "verification/studies/language/study_data.hpp"

namespace normproof::verification::studies::language {

/// Returns a synthetic text and synthetic sentence pairs that have a few steps per epoch.
inline StudyData small_study_data() {
  const ref::data::SyntheticPairCounts counts{.training = 48, .validation = 8, .test = 8};
  return {training::split_text(ref::data::synthetic_text(1, 60), "small text"),
          training::add_vocabularies(ref::data::synthetic_pair_corpus(1, counts),
                                     training::default_config(training::Task::translate))};
}

/// Returns a cell of the study, that is, one training run. Its model has the smallest size,
/// `quick`.
inline Cell quick_cell(const std::string& norm, training::Task task = training::Task::language) {
  return {.task = task, .norm = norm, .size = Size::quick};
}

}  // namespace normproof::verification::studies::language
