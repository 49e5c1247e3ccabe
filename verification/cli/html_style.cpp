#include "verification/cli/html_style.hpp"

namespace normproof::verification::cli {

std::string_view html_style() {
  return R"(
:root { --ink: #1b1b1b; --soft: #555; --line: #d5d5d5; --paper: #fff; --wash: #f6f7f8;
  --good: #0b6b3a; --expected: #8a4b00; --bad: #b00020; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 1.2rem 1.4rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p { margin: .4rem 0 .8rem; max-width: 76ch; }
.facts { color: var(--soft); }
.outcome { font-weight: 600; padding: .6rem .9rem; border-left: 6px solid; background: var(--wash);
  max-width: none; }
.outcome.good { border-color: var(--good); } .outcome.bad { border-color: var(--bad); }
.wide { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
th { border-bottom: 2px solid #888; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.id { font-weight: 600; white-space: nowrap; }
td.verdict { min-width: 8.5em; font-weight: 600; }
tr.holds td.verdict { color: var(--good); } tr.refuted td.verdict { color: var(--expected); }
tr.unexpected { background: #fdeef0; } tr.unexpected td.verdict { color: var(--bad); }
td.claim { width: 58%; }
.dropped { color: var(--expected); font-size: .9em; }
details { margin-top: .25rem; font-size: .93em; }
summary { cursor: pointer; color: #0b5394; width: fit-content; }
dl { margin: .3rem 0 .2rem; display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
figure { margin: 1rem 0 1.6rem; } figure .wide svg { display: block; width: 100%; min-width: 760px; height: auto; }
figcaption { max-width: 84ch; color: #333; }
.absent { padding: 1rem; background: var(--wash); border: 1px dashed #999; }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
@media (max-width: 700px) {
  body { padding: .8rem .8rem 3rem; }
  table.claims thead { display: none; }
  table.claims, table.claims tbody, table.claims tr, table.claims td { display: block; width: auto; }
  table.claims tr { border-bottom: 2px solid var(--line); padding: .5rem 0; }
  table.claims td { border: 0; padding: .1rem .3rem; text-align: left; }
  table.claims td.number::before { content: attr(data-label) ": "; color: var(--soft); }
  table td:first-child { min-width: 8.5em; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
}
@media print {
  body { max-width: none; font-size: 10pt; padding: 0; }
  tr, figure { break-inside: avoid; } h2 { break-after: avoid; } summary { display: none; }
  .wide { overflow: visible; } figure .wide svg { min-width: 0; }
}
)";
}

}  // namespace normproof::verification::cli
