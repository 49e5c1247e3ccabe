#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "ref/numeric/waiting.hpp"

namespace normproof::ref::ops {

/// Threads that go through the same steps together, each step shared out among them and finished
/// before the next begins. The bits of no result depend on who does what: steps partition outputs
/// (docs/specification/determinism.md, R7). One start of the threads serves all steps, and a thread that the
/// system holds up leaves the rest of a step to the others.
class Team {
 public:
  /// One thread's place in the steps. Every member makes the same calls of share.
  class Member {
   public:
    explicit Member(Team& team) : team_(team) {}

    /// Computes  body(begin, end) over disjoint ranges that cover [0, count), each at least `grain`
    ///           long where count allows it, some of them here; returns when all are done, and what
    ///           any member wrote in them is seen here
    /// Requires  a body that does not throw: the others would wait for it
    template <class Body>
    void share(std::size_t count, std::size_t grain, const Body& body) {
      Range range;
      while (claim(count, grain, range)) {
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
    bool claim(std::size_t count, std::size_t grain, Range& range);
    void finish(std::size_t count);

    Team& team_;
    std::size_t base_ = 0;
  };

  /// Computes  steps(member) on each of at most `threads` threads; not more than
  ///           numeric::num_threads(), and on one after the other where threads are not to be had
  static void run(std::size_t threads, const std::function<void(Member&)>& steps);

 private:
  explicit Team(std::size_t members) : members_(members) {}

  // Counted over all steps, so that they never go back.
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::size_t members_;
  numeric::Waiting step_ended_;
};

}  // namespace normproof::ref::ops
