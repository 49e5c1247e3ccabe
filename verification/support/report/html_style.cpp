#include "verification/support/report/html_style.hpp"

namespace normproof::verification::support::report {

// Color-blind readers can tell blue and orange apart. In gray print, the word or sign of the cell
// has the same meaning. A scrolling frame shows a shadow on each side where its content continues:
// two covers scroll with the content and hide the shadow at the ends. The content is blended with
// the background, since white content would hide the shadows.
std::string_view html_style() {
  return R"(
:root { --ink: #1b1b1b; --soft: #555; --line: #d5d5d5; --paper: #fff; --wash: #f6f7f8;
  --good: #d6e8f7; --expected: #f6ead2; --mixed: #f3efc2; --bad: #fbdcc4; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 1.2rem 1.4rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; } h4 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0 .8rem; max-width: 76ch; } li { max-width: 76ch; }
p, li, dd, figcaption, code { overflow-wrap: anywhere; }
.soft, .note { color: var(--soft); } .note { font-size: .92em; }
.outcome { font-weight: 600; padding: .6rem .9rem; border-left: 6px solid; background: var(--wash);
  max-width: none; }
.outcome.good { border-color: #0b5394; } .outcome.bad { border-color: #c2410c; }
.problem { border-left: 6px solid #c2410c; padding: .1rem .9rem; margin: 1rem 0; }
.wide { overflow-x: auto; max-width: 100%; width: fit-content; margin: 0 0 1rem;
  background: linear-gradient(to right, var(--paper) 30%, #fff0) left / 3rem 100%,
    linear-gradient(to left, var(--paper) 30%, #fff0) right / 3rem 100%,
    linear-gradient(to right, #0004, #0000) left / .9rem 100%,
    linear-gradient(to left, #0004, #0000) right / .9rem 100%, var(--paper);
  background-repeat: no-repeat; background-attachment: local, local, scroll, scroll, local; }
.wide > table, .wide > svg { mix-blend-mode: multiply; }
.wide:focus-visible { outline: 2px solid #0b5394; }
.caption { font-weight: 600; margin: 1.2rem 0 .3rem; }
pre { margin: .3rem 0; padding: .5rem .7rem; background: #f6f7f8cc; }
table { border-collapse: collapse; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border: 1px solid var(--line);
  max-width: 44rem; }
th { border-bottom: 2px solid #888; font-weight: 600; } th.long { min-width: 16rem; }
td.number, th.number { text-align: right; } td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
tr.bad > td { background: #fdeee6; } tr.good > td:first-child { font-weight: 600; }
td.good { background: var(--good); } td.expected { background: var(--expected); }
td.mixed { background: var(--mixed); } td.bad, tr.bad > td.bad { background: var(--bad); font-weight: 600; }
details { margin: .25rem 0; font-size: .93em; }
summary { cursor: pointer; color: #0b5394; width: fit-content; }
dl { margin: .3rem 0 .2rem; display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; }
dt { color: var(--soft); } dd { margin: 0; white-space: pre-wrap; }
figure { margin: 1rem 0 1.6rem; } figure .wide { width: auto; }
figure svg { display: block; width: 100%; min-width: 760px; height: auto; }
figcaption { max-width: 84ch; color: #333; }
.absent { padding: 1rem; background: var(--wash); border: 1px dashed #999; }
@media (max-width: 700px) {
  body { padding: .8rem .8rem 3rem; }
  td, th { max-width: 17rem; } th.long { min-width: 9rem; }
  .stacks thead { display: none; }
  .stacks, .stacks tbody, .stacks tr, .stacks td { display: block; width: auto; max-width: none; }
  .stacks tr { border-bottom: 2px solid var(--line); padding: .5rem 0; }
  .stacks td { border: 0; padding: .1rem .3rem; text-align: left; }
  .stacks td::before { content: attr(data-label) ": "; color: var(--soft); font-weight: 400; }
  .stacks td:first-child::before { content: none; }
  .stacks td:empty { display: none; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
}
@media print {
  body { max-width: none; font-size: 10pt; padding: 0; }
  table { font-size: 8pt; } tr, figure, .problem { break-inside: avoid; }
  h2, h3, .caption { break-after: avoid; }
  details > *:not(summary) { display: block; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; font-weight: 600; break-after: avoid; color: inherit; }
  .wide { overflow: visible; } figure svg { min-width: 0; }
  td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)";
}

}  // namespace normproof::verification::support::report
