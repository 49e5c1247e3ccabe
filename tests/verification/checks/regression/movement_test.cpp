#include "verification/checks/regression/movement.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/regression/small_history.hpp"
#include "verification/checks/compare/ulp.hpp"

namespace normproof::verification::checks::regression {
namespace {

using normproof::ref::numeric::error_message;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(StepsBetween, CountsRepresentableNumbersOfTheDtype) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(count_representable_steps(1, std::nextafter(1.0, 2), DType::float64), 1u);
  EXPECT_EQ(count_representable_steps(1, 1 + std::ldexp(1, -23), DType::float32), 1u);
  EXPECT_EQ(count_representable_steps(1, 2, DType::float16), 1024u);
  EXPECT_EQ(count_representable_steps(1, 2, DType::bfloat16), 128u);
  EXPECT_EQ(count_representable_steps(-0.0, 0.0, DType::float32), 0u);
  EXPECT_EQ(count_representable_steps(-std::ldexp(1, -149), std::ldexp(1, -149), DType::float32),
            2u);
  EXPECT_EQ(
      count_representable_steps(65504, std::numeric_limits<double>::infinity(), DType::float16),
      1u);
  EXPECT_EQ(count_representable_steps(7, 4, DType::int64), 3u);
  EXPECT_EQ(count_representable_steps(nan, nan, DType::float64), 0u);
  EXPECT_EQ(count_representable_steps(nan, 1, DType::float16),
            checks::compare::kInfiniteUlpDistance);
}

class ChangeBetweenRecordings : public SmallHistory {
 protected:
  Change change() const {
    const auto recordings = history().read();
    return compare_recordings(history(), recordings.at(recordings.size() - 2), recordings.back());
  }
  static double round_to_float(double y) { return static_cast<double>(static_cast<float>(y)); }
  static golden::candidate::Candidate without(const std::string& name) {
    return [name, own = reference_candidate()](const golden::certify::StoredCase& stored) {
      std::vector<StoredTensor> answer = own(stored).tensors();
      std::erase_if(answer, [&](const StoredTensor& tensor) { return tensor.name == name; });
      return answer;
    };
  }
};

TEST_F(ChangeBetweenRecordings, DoesNotExistIfTheBitsAreEqual) {
  append(reference_candidate(), "a");
  append(reference_candidate(), "b");
  const Change same = change();
  EXPECT_TRUE(same.movements.empty());
  EXPECT_EQ(same.cases, 3u);
  EXPECT_GT(same.outputs, 3u);
}

TEST_F(ChangeBetweenRecordings, IsAwayFromTheTruthIfLessAccurateAndTowardsItIfMore) {
  append(reference_candidate(), "a");
  append(make_candidate_with_changed_y(round_to_float), "b");
  const Change away = change();
  ASSERT_EQ(away.movements.size(), 2u);  // not y: it equals beta, which float represents
  EXPECT_EQ(away.moved_cases, 2u);
  EXPECT_EQ(away.count(Direction::away), 2u);
  EXPECT_THAT(away.movements, Each(Field(&OutputChange::output, "y")));
  append(reference_candidate(), "c");
  const Change back = change();
  EXPECT_EQ(back.count(Direction::towards), 2u);
  EXPECT_EQ(back.movements[0].before, away.movements[0].after);
  EXPECT_EQ(back.movements[0].max_steps, away.movements[0].max_steps);
}

TEST_F(ChangeBetweenRecordings, CountsChangedElementsAndTheirDistance) {
  append(reference_candidate(), "a");
  append(make_candidate_with_changed_y([calls = 0](double y) mutable {
           const int steps = ++calls > 4 ? 0 : calls == 3 ? 2 : calls == 1 ? 0 : 1;
           for (int i = 0; i < steps; ++i) y = std::nextafter(y, 1e9);
           return y;
         }),
         "b");
  const Change change = this->change();
  ASSERT_EQ(change.movements.size(), 1u);  // only the first case changes: the counter goes on
  const OutputChange& movement = change.movements[0];
  EXPECT_EQ(movement.path, cases_[0].path);
  EXPECT_EQ(movement.moved, 3u);
  EXPECT_GT(movement.count, 3u);
  EXPECT_EQ(movement.max_steps, 2u);
  EXPECT_EQ(movement.where, "[0, 2, 0]");
}

TEST_F(ChangeBetweenRecordings, IncludesTheSignOfZero) {
  append(make_candidate_with_changed_y([](double) { return 0.0; }), "a");
  append(make_candidate_with_changed_y([](double) { return -0.0; }), "b");
  const Change change = this->change();
  ASSERT_EQ(change.movements.size(), 3u);
  EXPECT_EQ(change.movements[0].max_steps, 0u);
  EXPECT_EQ(change.movements[0].moved, change.movements[0].count);
  EXPECT_EQ(change.count(Direction::neither), 3u);
}

TEST_F(ChangeBetweenRecordings, ReportsNewAndMissingOutputs) {
  append(reference_candidate(), "a");
  append(without("rstd"), "b");
  EXPECT_EQ(change().count(Direction::away), 3u);
  EXPECT_EQ(change().movements.at(0).what, "is gone");
  append(reference_candidate(), "c");
  EXPECT_EQ(change().count(Direction::towards), 3u);
  append(
      [own = reference_candidate(),
       first = cases_[0].path](const golden::certify::StoredCase& stored) {
        if (stored.description.path == first) throw ref::numeric::FileError("it has ended");
        return own(stored);
      },
      "d");
  EXPECT_EQ(change().movements.at(0).what, "has no answer any more: it has ended");
  EXPECT_EQ(change().count(Direction::away), 1u);
  append(reference_candidate(), "e");
  EXPECT_EQ(change().movements.at(0).what, "has an answer now");
}

TEST_F(ChangeBetweenRecordings, ReportsNewMissingAndChangedCases) {
  append(reference_candidate(), "a");
  auto recorded = record_candidate(reference_candidate());
  recorded[0].case_sha256 = std::string(64, '0');
  recorded.pop_back();
  Recording recording = summarize(recorded);
  history().append(recording, recorded);
  const Change change = this->change();
  ASSERT_EQ(change.movements.size(), 2u);
  EXPECT_THAT(change.movements[0].what, HasSubstr("is another case"));
  EXPECT_EQ(change.movements[0].direction, Direction::neither);
  EXPECT_EQ(change.movements[1].what, "is gone");
  EXPECT_EQ(change.cases, 3u);
}

TEST_F(ChangeBetweenRecordings, HasNoDistanceIfTheDtypesDiffer) {
  append(reference_candidate(), "a");
  append(
      [own = reference_candidate()](const golden::certify::StoredCase& stored) {
        auto answer = own(stored).tensors();
        for (auto& tensor : answer) {
          auto values = ref::io::widen(tensor);
          for (double& value : values) value = round_to_float(value);
          tensor = ref::io::make_tensor(tensor.name, DType::float32, tensor.shape, values);
        }
        return answer;
      },
      "b");
  const Change change = this->change();
  EXPECT_EQ(change.movements.at(0).what, "float64 -> float32");
  EXPECT_EQ(change.count(Direction::towards), 0u);
  EXPECT_GT(change.count(Direction::away), 6u);  // the other outputs are representable in float
}

TEST_F(ChangeBetweenRecordings, ErrorNamesAnAbsentOutput) {
  append(reference_candidate(), "a");
  append(make_candidate_with_changed_y(round_to_float), "b");
  const std::string sha256 = history().read_cases(history().read()[0])[1].answer_sha256;
  std::filesystem::remove(file().string() + ".answers/" + sha256 + ".safetensors");
  EXPECT_THAT(error_message<ref::numeric::FileError>([&] { change(); }), HasSubstr(sha256));
}

}  // namespace
}  // namespace normproof::verification::checks::regression
