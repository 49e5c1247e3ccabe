#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "ref/numeric/waiting.hpp"

namespace normproof::ref::ops {

/// Threads that run the same steps together. The work of each step is distributed over the threads.
/// A step ends before the next one begins. Each thread computes whole outputs, so the bits of a
/// result do not depend on which thread computes it (docs/specification/determinism.md, rule R7).
/// The threads are started once for all steps. If a thread is delayed, the other threads do its
/// work.
class Team {
 public:
  /// One thread of the team. All members must make the same calls of `share`, in the same order.
  class Member {
   public:
    explicit Member(Team& team) : team_(team) {}

    /// Distributes one step over the members: body(begin, end) is called for disjoint ranges that
    /// cover [0, count), some of them on this thread. Each range has at least `grain` indices,
    /// unless fewer are left. The function returns when all ranges have ended. All data that any
    /// member wrote is then visible to this thread.
    /// Requires  body does not throw, because the other members would wait forever
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

  /// Calls steps(member) on each thread of a team. The team has at most `threads` threads, and at
  /// most numeric::num_threads(). If no threads can be created, the members run one after the
  /// other.
  static void run(std::size_t threads, const std::function<void(Member&)>& steps);

 private:
  explicit Team(std::size_t members) : members_(members) {}

  // These counters are sums over all steps, so they never decrease.
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::size_t members_;
  numeric::Waiting step_ended_;
};

}  // namespace normproof::ref::ops
