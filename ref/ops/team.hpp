#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "ref/numeric/waiting.hpp"

namespace normproof::ref::ops {

/// Threads that run the same steps together. Each step is distributed over the threads and
/// completed before the next one begins. Steps partition outputs, so the bits of a result do not
/// depend on which thread does what (docs/specification/determinism.md, rule R7). The threads are
/// started once for all steps. If a thread is delayed, the others do the rest of the step.
class Team {
 public:
  /// One thread that takes part in the steps. Every member must make the same calls of share.
  class Member {
   public:
    explicit Member(Team& team) : team_(team) {}

    /// Runs body(begin, end) over disjoint ranges that cover [0, count), some of them on this
    /// thread. Each range has at least `grain` indices if count allows it. It returns when all
    /// ranges are done; what any member wrote in them is then visible here.
    /// Requires  a body that does not throw, because the others would wait for it forever
    template <class Body>
    void share(std::size_t count, std::size_t grain, const Body& body) {
      Range range;
      while (claim_range(count, grain, range)) {
        body(range.begin, range.end);
        const std::size_t done = range.end - range.begin;
        if (team_.done_.fetch_add(done) + done == base_ + count) team_.step_ended_.wake();
      }
      finish(count);
    }

   private:
    struct Range {
      std::size_t begin = 0;
      std::size_t end = 0;
    };
    bool claim_range(std::size_t count, std::size_t grain, Range& range);
    void finish(std::size_t count);

    Team& team_;
    std::size_t base_ = 0;
  };

  /// Runs steps(member) on at most `threads` threads, and on no more than numeric::num_threads().
  /// If threads cannot be created, the members run one after the other.
  static void run(std::size_t threads, const std::function<void(Member&)>& steps);

 private:
  explicit Team(std::size_t members) : members_(members) {}

  // These are counted over all steps, so that they never decrease.
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::size_t members_;
  numeric::Waiting step_ended_;
};

}  // namespace normproof::ref::ops
