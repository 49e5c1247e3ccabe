#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {

void add_random_probes(std::vector<Probe>& probes) {
  using ref::numeric::RandomStream;
  // The indices start at 0 and just before a carry into the upper half of the counter.
  const auto add = [&probes](const std::string& name, auto draw) {
    probes.push_back({"random/" + name, [draw](Values& values) {
                        for (const std::uint64_t seed : {0ull, 1ull, 0xffffffffffffffffull})
                          for (const char* stream : {"", "embedding", "dropout/1"})
                            for (const std::uint64_t begin : {0ull, 0xffffffe0ull, 1ull << 63})
                              for (std::uint64_t i = 0; i < 64; ++i)
                                values.add(draw(RandomStream(seed, stream), begin + i));
                      }});
  };
  using Index = std::uint64_t;
  add("bits", [](const RandomStream& s, Index i) { return s.bits(i); });
  add("uniform", [](const RandomStream& s, Index i) { return s.uniform(i); });
  add("normal", [](const RandomStream& s, Index i) { return s.normal(i); });
  add("below", [](const RandomStream& s, Index i) { return s.below(i, 1 + i % 30522); });
}

}  // namespace normproof::verification::checks::determinism
