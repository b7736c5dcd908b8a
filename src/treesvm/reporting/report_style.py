"""The style sheet of the report: one column on phones, two on desktops, two schemes."""

STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --card: #ffffff; --ink: #1f2430;
  --soft: #667085; --rule: #e6e3da; --accent: #00805c; --pure: #b9e2d3; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171c; --card: #1d2128;
  --ink: #e8eaee; --soft: #9aa4b5; --rule: #323843; --accent: #3ecf9f;
  --pure: #2f5c4e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans",
  sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 16px 64px; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 6px; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 44px 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 0 0 2px; }
p { margin: 0 0 10px; max-width: 46em; }
h1, h3, p, nav { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.headline { font-size: 1.05rem; border-left: 4px solid var(--accent);
  padding: 2px 0 2px 12px; margin: 12px 0 18px; }
.grid { columns: 2 400px; column-gap: 16px; margin-top: 16px; }
.grid > .card { break-inside: avoid; margin-bottom: 16px; }
.grid > .wide { column-span: all; margin-top: 16px; }
nav ol { margin: 14px 0 0; padding-left: 1.3em; } a { color: var(--accent); }
dl { margin: 12px 0 0; } dt { font-weight: 650; } dd { margin: 0 0 8px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
  padding: 14px 14px 10px; min-width: 0; }
.card p { font-size: .85rem; color: var(--soft); margin-bottom: 8px; }
svg { display: block; width: 100%; max-width: 560px; height: auto; margin: 0 auto; }
svg text { font-family: inherit; fill: var(--ink); }
.tick, .axis { font-size: 12px; } svg .tick, svg .axis { fill: var(--soft); }
.name { font-size: 13px; } svg .ours { font-weight: 650; } .value { font-size: 12.5px; }
line.grid { stroke: var(--rule); stroke-width: 1; }
.lead { stroke: var(--soft); stroke-width: .8; }
.dot { stroke: var(--card); stroke-width: 1.5; }
.pure { fill: var(--pure); }
.tree, .tree ul { list-style: none; margin: 0; padding: 0; font-size: .88rem; }
.tree ul { margin-left: 7px; padding-left: 15px; border-left: 1px solid var(--rule); }
.tree li { margin: 4px 0; overflow-wrap: anywhere; }
.tree i { color: var(--soft); font-style: normal; white-space: nowrap; }
.tree .leaf b { background: var(--pure); border-radius: 5px; padding: 1px 6px;
  font-weight: 500; }
.tree .branch { color: var(--soft); display: inline-block; min-width: 1.9em; }
.tree .more { color: var(--soft); }
.bars { list-style: none; margin: 0; padding: 0; font-size: .88rem; }
.bars li { display: grid; grid-template-columns: 1fr auto; column-gap: 10px;
  margin: 6px 0; } .bars span { overflow-wrap: anywhere; }
.bars b { font-weight: 500; font-variant-numeric: tabular-nums; }
.bars li > div { grid-column: 1 / -1; height: 8px; border-radius: 4px;
  background: var(--rule); overflow: hidden; }
.bars li > div > div { height: 100%; } .bars .up { background: #00a878; }
.bars .down { background: #d55e00; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 7px 8px; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: .82rem; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
td.note { white-space: normal; text-align: left; color: var(--soft); font-size: .84rem;
  min-width: 11em; }
tr.ours td:first-child { font-weight: 650; } td.best { color: var(--accent);
  font-weight: 650; }
.key { display: inline-block; width: .7em; height: .7em; border-radius: 50%;
  margin-right: .5em; }
.regions { display: grid; gap: 12px; grid-template-columns: repeat(2, 1fr); }
@media (min-width: 641px) { .regions { grid-template-columns: repeat(3, 1fr); } }
@media (min-width: 961px) { .regions {
  grid-template-columns: repeat(var(--columns), 1fr); } }
.regions figure { margin: 0; } .regions img { width: 100%; border-radius: 8px;
  display: block; }
figcaption { font-size: .86rem; margin-top: 4px; }
footer { margin-top: 48px; font-size: .85rem; color: var(--soft); }
code { font-size: .92em; }
@media (min-width: 641px) and (max-width: 900px) {
  .cards tr { display: grid; border-bottom: 1px solid var(--rule);
    grid-template-columns: 1.5fr .8fr .8fr 1.1fr 1.7fr .8fr; }
  .cards td, .cards th { border: 0; } .cards th:last-child { display: none; }
  .cards td.note { grid-column: 1 / -1; padding-top: 0; }
  .cards td.note:empty { display: none; } }
@media (max-width: 640px) { .cards thead { display: none; }
  .cards tr { display: grid; grid-template-columns: 1fr 1fr; padding: 10px 0;
    border-bottom: 1px solid var(--rule); }
  .cards td { border: 0; padding: 2px 0; text-align: left; white-space: normal; }
  .cards td:first-child, .cards td.note { grid-column: 1 / -1; }
  .cards td[data-name]::before { content: attr(data-name); color: var(--soft);
    font-size: .76rem; font-weight: 400; display: block; line-height: 1.2; }
  .cards td.note:empty { display: none; } }
"""
