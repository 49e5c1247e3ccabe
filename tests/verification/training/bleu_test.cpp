#include "verification/training/bleu.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"

// bleu_cases.json holds scores that tests/verification/training/bleu_answers recorded with
// sacrebleu. If sacrebleu is installed, the tests also run it. The environment variable
// NORMPROOF_INTEROP_PYTHON names another interpreter than /usr/bin/python3.
namespace normproof::verification::training {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

const std::string kFolder = NORMPROOF_SOURCE_DIR "/tests/verification/training";

BleuTokenizer parse_tokenizer_name(const Json& answer) {
  return answer["tokenize"] == "none" ? BleuTokenizer::none : BleuTokenizer::mteval_13a;
}

/// Expects our scores to equal sacrebleu's. Doubles may differ by the relative error `off`.
void expect_sacrebleu_scores(const Json& answers, double off) {
  ASSERT_FALSE(answers.empty());
  for (const Json& answer : answers) {
    SCOPED_TRACE(answer["name"].get<std::string>());
    const auto hypotheses = answer["hypotheses"].get<Lines>();
    const BleuTokenizer tokenizer = parse_tokenizer_name(answer);
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      EXPECT_EQ(bleu_tokens(hypotheses[i], tokenizer), answer["tokens"][i].get<Lines>());
    const Bleu bleu = corpus_bleu(hypotheses, answer["references"].get<Lines>(), tokenizer);
    EXPECT_EQ(to_string(bleu), answer["line"].get<std::string>());
    EXPECT_EQ(bleu_signature(tokenizer), answer["signature"].get<std::string>());
    const double expected = std::strtod(answer["score"].get<std::string>().c_str(), nullptr);
    EXPECT_LE(std::abs(bleu.score - expected), off * expected);
  }
}

TEST(Bleu, MatchesRecordedScoresOfSacrebleu) {
  expect_sacrebleu_scores(Json::parse(ref::io::read_text(kFolder + "/bleu_cases.json")), 0);
}

/// Returns random sentences with few distinct words and much punctuation. The hypotheses are close
/// to the references.
Json random_cases() {
  constexpr const char* words[] = {"boat",  "the", "old",     "3.5",   "1,000", "end.",   "why?",
                                   "a-b",   "9-5", "&quot;",  "&amp;", "(so)",  ",",      ".",
                                   "größe", "猫",  "\u3000",  "Boat",  "--",    "x.y,z.", "5.",
                                   ".5",    "n't", "$5.00,-", "it's",  "[a]",   "!?",     "\u00a0"};
  const ref::numeric::RandomStream random(11, "bleu");
  std::uint64_t next = 0;
  const auto below = [&](std::size_t count) { return random.below(next++, count); };
  Json cases = Json::array();
  for (std::size_t i = 0; i < 200; ++i) {
    Lines hypotheses, references;
    for (std::size_t k = 0; k <= i % 5; ++k) {
      std::string hypothesis, reference;
      for (std::size_t length = below(14); length > 0; --length) {
        const std::string word = words[below(std::size(words))], gap = below(4) == 0 ? "" : " ";
        if (below(8) != 0) hypothesis += word + gap;
        if (below(8) != 0) reference += word + gap;
      }
      hypotheses.push_back(hypothesis);
      references.push_back(reference);
    }
    cases.push_back({{"name", fmt::format("random {}", i)},
                     {"tokenize", i % 3 == 0 ? "none" : "13a"},
                     {"hypotheses", hypotheses},
                     {"references", references}});
  }
  return cases;
}

TEST(Bleu, MatchesAnInstalledSacrebleu) {
  const tests::ref::io::TemporaryFolder folder;
  Json cases = Json::parse(ref::io::read_text(kFolder + "/bleu_cases.json"));
  for (const Json& one : random_cases()) cases.push_back(one);
  ref::io::write_file(folder / "cases.json", cases.dump());
  const char* const other = std::getenv("NORMPROOF_INTEROP_PYTHON");
  const int status =
      std::system(fmt::format("PYTHONDONTWRITEBYTECODE=1 '{}' '{}/bleu_answers' '{}' > '{}' 2>&1",
                              other != nullptr ? other : "/usr/bin/python3", kFolder,
                              (folder / "cases.json").string(), (folder / "said").string())
                      .c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const std::string said = ref::io::read_text(folder / "said");
  if (code == 77 || code == 127) GTEST_SKIP() << said;
  ASSERT_EQ(code, 0) << said;
  // exp and log of the C library may be off by one ulp, and sacrebleu sums in another order.
  expect_sacrebleu_scores(Json::parse(said), 8 * 0x1p-52);
}

TEST(Bleu, MatchesHandCountedSentences) {
  const Bleu bleu =
      corpus_bleu({"the old boat", "a b c d"}, {"the boat", "a b c e f"}, BleuTokenizer::none);
  EXPECT_EQ(bleu.matches, (std::array<std::size_t, 4>{5, 2, 1, 0}));
  EXPECT_EQ(bleu.totals, (std::array<std::size_t, 4>{7, 5, 3, 1}));
  EXPECT_EQ(bleu.hypothesis_length, 7u);
  EXPECT_EQ(bleu.reference_length, 7u);
  EXPECT_EQ(bleu.brevity_penalty, 1);
  EXPECT_EQ(bleu.precisions[0], 500.0 / 7);
  EXPECT_EQ(bleu.precisions[3], 50);
}

TEST(Bleu, C1_RejectsEmptyInputOrDifferentNumbersOfSentences) {
  const auto refused = [](const Lines& hypotheses, const Lines& references) {
    return ref::numeric::contract_message(
        [&] { corpus_bleu(hypotheses, references, BleuTokenizer::none); });
  };
  EXPECT_THAT(refused({"a"}, {"a", "b"}),
              HasSubstr("hypotheses are 1; expected as many as references, 2, and one at least"));
  EXPECT_THAT(refused({}, {}), HasSubstr("hypotheses are 0"));
}

}  // namespace
}  // namespace normproof::verification::training
