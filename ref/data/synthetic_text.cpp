#include "ref/data/synthetic_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::data {
namespace {

constexpr std::string_view kPeople[] = {"miller",  "sailor", "weaver",
                                        "teacher", "farmer", "singer"};
constexpr std::string_view kObjects[] = {"boat", "lamp", "letter", "basket", "clock", "bell"};
constexpr std::string_view kAdjectives[] = {"old", "red", "small", "quiet", "heavy", "broken"};
constexpr std::string_view kVerbs[] = {"mend", "carry", "find", "sell", "paint", "forget"};
constexpr std::string_view kPlaces[] = {"river", "market", "tower", "garden", "bridge"};

/// The random choices that compose one sentence.
class SentenceChoices {
 public:
  SentenceChoices(const numeric::RandomStream& random, std::size_t sentence)
      : random_(random), next_(sentence * 16) {}

  template <std::size_t count>
  std::string_view choose(const std::string_view (&words)[count]) {
    return words[below(count)];
  }
  std::size_t below(std::size_t count) { return random_.below(next_++, count); }

 private:
  const numeric::RandomStream& random_;
  std::uint64_t next_;
};

std::string third_person_form(std::string_view verb) {
  return verb.ends_with('y') ? fmt::format("{}ies", verb.substr(0, verb.size() - 1))
                             : fmt::format("{}s", verb);
}

std::string noun_phrase(SentenceChoices& choices, std::string_view noun, bool plural) {
  const bool has_kind = choices.below(2) == 1;
  const std::string_view kind = choices.choose(kAdjectives);
  return fmt::format("the {}{}{}{}", has_kind ? kind : "", has_kind ? " " : "", noun,
                     plural ? "s" : "");
}

std::string sentence(const numeric::RandomStream& random, std::size_t number) {
  SentenceChoices choices(random, number);
  const bool plural = choices.below(2) == 1;
  const std::string_view person = choices.choose(kPeople);
  std::string text = noun_phrase(choices, person, plural);
  const std::string_view verb = choices.choose(kVerbs);
  text += fmt::format(" {} ", plural ? std::string(verb) : third_person_form(verb));
  const std::string_view thing = choices.choose(kObjects);
  text += noun_phrase(choices, thing, choices.below(3) == 0);
  const bool has_place = choices.below(5) < 2;
  const std::string_view place = choices.choose(kPlaces);
  return has_place ? fmt::format("{} at the {}.\n", text, place) : text + ".\n";
}

}  // namespace

std::string synthetic_text(std::uint64_t seed, std::size_t count) {
  if (count == 0 || count > std::size_t{1} << 40)
    numeric::contract_failure("synthetic_text", "count", fmt::format("is {}", count),
                              "1 <= count <= 2^40", numeric::Clause::C1);
  const numeric::RandomStream random(seed, "synthetic text");
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += sentence(random, i);
  return text;
}

}  // namespace normproof::ref::data
