/** The one look of every page, in light and dark, down to 390 pixels. */
export const style = `:root {
  --paper: #ffffff; --ink: #1c2024; --faint: #5d6670; --line: #dfe3e8; --shade: #f5f7f9; --link: #0b5fbd;
  --string: #11643a; --word: #7a2ea0; --number: #9a4a00;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #101418; --ink: #e3e8ed; --faint: #97a3af; --line: #2a323a; --shade: #181e24; --link: #6db3ff;
    --string: #8fd6a6; --word: #d3a4f0; --number: #f0b37e; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: baseline;
  padding: .6rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar nav { display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .92rem; }
.bar a { text-decoration: none; }
.brand { font-weight: 650; color: var(--ink); }
a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
.sim { margin: 0; padding: .15rem 1.25rem; background: #fdeec4; color: #5f4300; font-size: .85rem; font-weight: 500; text-align: center; }
@media (prefers-color-scheme: dark) { .sim { background: #3a2c08; color: #f5d27a; } }
.page { display: grid; grid-template-columns: 15rem minmax(0, 48rem); gap: 0 3rem; max-width: 72rem; margin: 0 auto;
  padding: 1.25rem; }
.wide { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto;
  font-size: .92rem; }
.page nav h2 { margin: 1rem 0 .25rem; font-size: .78rem; letter-spacing: .06em; text-transform: uppercase;
  color: var(--faint); border: 0; padding: 0; }
.page nav ul { margin: 0; padding: 0; list-style: none; }
.page nav a { display: block; padding: .12rem 0; text-decoration: none; }
.narrow { display: none; margin-bottom: 1rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; }
.narrow summary { cursor: pointer; }
.page main { overflow-wrap: break-word; }
.page h1 { font-size: 1.9rem; line-height: 1.2; margin: .25rem 0 1rem; }
.page main h2 { margin: 2.2rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: 1.35rem; }
.page main h3 { margin: 1.6rem 0 .4rem; font-size: 1.08rem; }
.page .anchor { color: var(--faint); text-decoration: none; font-weight: 400; opacity: 0; }
.page h1:hover .anchor, .page h2:hover .anchor, .page h3:hover .anchor, .page .anchor:focus { opacity: 1; }
.page code { font: .88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--shade); padding: .1em .3em; border-radius: 4px; }
.page pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .75rem .9rem; overflow-x: auto; }
.page pre code { background: none; padding: 0; }
.page .table { overflow-x: auto; }
.page table { border-collapse: collapse; width: 100%; font-size: .93rem; }
.page th, .page td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
.page th { color: var(--faint); font-weight: 600; }
.page td code { white-space: nowrap; }
@media (max-width: 860px) {
  .page { display: block; padding: 1rem; }
  .wide { display: none; }
  .narrow { display: block; }
  .page td code { white-space: normal; }
}
.code { position: relative; }
.copy { position: absolute; top: .4rem; right: .4rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 4px;
  background: var(--paper); color: var(--faint); font: .78rem system-ui, sans-serif; cursor: pointer; }
.copy:hover, .copy:focus-visible { color: var(--ink); border-color: var(--link); }
.note { color: var(--faint); } .text { color: var(--string); } .word { color: var(--word); } .number { color: var(--number); }
#search { position: relative; flex: 1; min-width: 12rem; max-width: 24rem; margin-left: auto; font-size: .92rem; }
#search label { display: flex; gap: .5rem; align-items: baseline; color: var(--faint); }
#search input { flex: 1; min-width: 0; padding: .2rem .5rem; border: 1px solid var(--line); border-radius: 5px; background: var(--shade); color: var(--ink); font: inherit; }
#search p { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
#search ul { position: absolute; right: 0; left: 0; max-height: 70vh; margin: .3rem 0 0; padding: .25rem; overflow: auto;
  border: 1px solid var(--line); border-radius: 6px; background: var(--paper); list-style: none; }
#search ul:empty { display: none; }
#search a { display: flex; gap: .75rem; justify-content: space-between; padding: .25rem .4rem; color: var(--ink); text-decoration: none; }
#search a:hover, #search a:focus-visible { background: var(--shade); }
#search small { color: var(--faint); white-space: nowrap; }
@media print { .bar, .wide, .narrow { display: none; } }
`;
