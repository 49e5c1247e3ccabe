#include "verification/studies/published/cell.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ref/numeric/error_message.hpp"
#include "verification/studies/published/plan.hpp"

namespace normproof::verification::studies::published {
namespace {

namespace model = ref::model;
using ::testing::HasSubstr;

std::string cell_error_message(const std::string& name) {
  return ref::numeric::error_message<ref::numeric::UsageError>([&] { parse_cell(name); });
}

/// Returns the training settings, as "key=value", in which cell `b` differs from cell `a`.
std::vector<std::string> list_changed_settings(const Cell& a, const Cell& b) {
  const auto left = training::list_settings(make_run_config(a)),
             right = training::list_settings(make_run_config(b));
  std::vector<std::string> found;
  for (const auto& [key, value] : right)
    if (std::ranges::find(left, std::pair(key, value)) == left.end())
      found.push_back(fmt::format("{}={}", key, value));
  return found;
}

std::vector<std::string> changes_of(Protocol protocol) {
  return list_changed_settings(Cell{}, Cell{.protocol = protocol});
}

TEST(StudyCell, NameParsesBackToTheCell) {
  EXPECT_EQ(cell_name(Cell{.learning_rate = "0.5"}), "corrected/1x32/layer_norm/rate-0.5/seed-42");
  Cell cell{.protocol = published_protocol(), .padding = Padding::longest, .layers = 5};
  cell.d_ff = 3200;
  cell.norm = "layer_norm_pre";
  cell.learning_rate = "1e-4";
  cell.initialization = "uniform-0.1";
  cell.seed = 7;
  cell.steps = 20;
  cell.curves = cell.dynamics = true;
  EXPECT_EQ(cell_name(cell),
            "published/5x3200/layer_norm_pre/rate-1e-4/seed-7/longest/uniform-0.1/steps-20/curves/"
            "dynamics");
  EXPECT_EQ(parse_cell(cell_name(cell)), cell);
  for (const Protocol& protocol : standard_protocols())
    for (const std::string& norm : study_norms())
      for (const Padding padding : {Padding::longest, Padding::fixed_512}) {
        const Cell one{.protocol = protocol, .padding = padding, .norm = norm};
        EXPECT_EQ(parse_cell(cell_name(one)), one) << cell_name(one);
      }
  EXPECT_EQ(parse_cell("corrected/1x32/none/rate-10"),
            (Cell{.norm = "none", .learning_rate = "10"}));
}

TEST(StudyCell, UnknownNamesAreRejected) {
  EXPECT_THAT(cell_error_message("corrected/1x32"), HasSubstr("has fewer than four parts"));
  EXPECT_THAT(cell_error_message("corrected/1x32/layer_nrom/rate-1"),
              HasSubstr("did you mean 'layer_norm'"));
  EXPECT_THAT(cell_error_message("corrected/32/none/rate-1"), HasSubstr("LAYERSxWIDTH"));
  EXPECT_THAT(cell_error_message("corrected/0x32/none/rate-1"), HasSubstr("one layer"));
  EXPECT_THAT(cell_error_message("corrected/1x32/none/1"), HasSubstr("expected rate-R"));
  EXPECT_THAT(cell_error_message("corrected/1x32/none/rate-fast"), HasSubstr("a number"));
  EXPECT_THAT(cell_error_message("corrected/1x32/none/rate--1"), HasSubstr("0 or more"));
  EXPECT_THAT(cell_error_message("corrected/1x32/none/rate-1/steps-x"), HasSubstr("an integer"));
  EXPECT_THAT(cell_error_message("corrected/1x32/none/rate-1/slow"),
              HasSubstr("has the part 'slow'"));
}

TEST(StudyCell, NumbersInNamesHaveOneSpelling) {
  for (const std::string& rate : study_rates())
    EXPECT_EQ(parse_cell(fmt::format("corrected/1x32/none/rate-{}", rate)).learning_rate, rate);
  EXPECT_EQ(number_name(0), "0");
  EXPECT_EQ(number_name(0.05), "5e-2");
  EXPECT_EQ(number_name(999999), "999999");
  EXPECT_EQ(number_name(1e6), "1e6");
  EXPECT_EQ(number_name(2.5e-10), "2.5e-10");
  EXPECT_EQ(number_name(1e100), "1e100");
  for (const auto& [text, name] :
       {std::pair("0.50", "0.5"), std::pair("5e-1", "0.5"), std::pair("1e-1", "0.1"),
        std::pair("0.01", "1e-2"), std::pair("1e-02", "1e-2"), std::pair("1e1", "10")}) {
    EXPECT_THAT(cell_error_message(fmt::format("corrected/1x32/none/rate-{}", text)),
                HasSubstr(fmt::format("has the rate {}; expected its one name, {}", text, name)));
    EXPECT_THAT(cell_error_message(fmt::format("corrected/1x32/none/rate-1/uniform-{}", text)),
                HasSubstr(fmt::format("has the limit {}; expected its one name, {}", text, name)));
  }
}

TEST(StudyCell, DuplicatePartOfANameIsRejected) {
  for (const auto& [parts, sentence] :
       {std::pair("seed-42/seed-43", "has 'seed-43' behind another part for the seed"),
        std::pair("longest/512", "'512' behind another part for the padding"),
        std::pair("steps-1/steps-1", "for the number of steps"),
        std::pair("uniform-1/uniform-2", "for the initialization"),
        std::pair("curves/curves", "for the curves"),
        std::pair("dynamics/curves/dynamics", "for the dynamics")})
    EXPECT_THAT(cell_error_message(fmt::format("corrected/1x32/none/rate-1/{}", parts)),
                HasSubstr(sentence));
}

TEST(StudyCellConfig, DefaultIsTheCorrectedProtocol) {
  const training::RunConfig config = make_run_config(Cell{.layers = 5, .learning_rate = "1e-2"});
  EXPECT_EQ(config.train.encoder.num_layers, 5u);
  EXPECT_EQ(config.train.encoder.d_model, 32u);
  EXPECT_EQ(config.train.encoder.num_heads, 8u);
  EXPECT_EQ(config.train.encoder.dropout, 0.1);
  EXPECT_EQ(config.batch_size, 64u);
  EXPECT_EQ(config.train.learning_rate, 0.01);
  EXPECT_EQ(std::get<model::SgdOptions>(config.train.optimizer).momentum, 0);
  EXPECT_EQ(config.train.class_weights, model::ClassWeights::inverse_frequency);
  EXPECT_EQ(config.fixed_length, std::nullopt);
}

TEST(StudyCellConfig, EachFaultChangesOnlyItsOwnSettings) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(changes_of({.misaligned_labels = true}), ElementsAre("encoder.pooling=per_position"));
  EXPECT_THAT(changes_of({.inference_stays_on = true}), IsEmpty());
  EXPECT_THAT(changes_of({.consecutive_probes = true}), IsEmpty());
  EXPECT_THAT(changes_of({.no_padding_mask = true}),
              ElementsAre("encoder.pooling=per_position", "encoder.mask_padding=false"));
  EXPECT_THAT(changes_of({.count_weights = true}), ElementsAre("loss.class_weights=frequency"));
  EXPECT_THAT(changes_of({.published_model = true}),
              ElementsAre("encoder.positions=false", "training.bias_initialization=fan_in_uniform",
                          "initialization.name=kaiming_normal"));
  EXPECT_THAT(list_changed_settings({}, Cell{.padding = Padding::fixed_512}),
              ElementsAre("training.fixed_length=512"));
  EXPECT_THAT(list_changed_settings({}, Cell{.initialization = "uniform-100"}),
              ElementsAre("initialization.name=uniform", "initialization.limit=100",
                          "feed_forward_initialization.name=uniform",
                          "feed_forward_initialization.limit=100"));
}

}  // namespace
}  // namespace normproof::verification::studies::published
