import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The words that the project does not use, and what to write instead: see "Words" in docs/STYLE.md. */
const banned: readonly (readonly [marker: RegExp, instead: string])[] = [
  [/\b(tell|tells|told|telling|un(told))\b/, 'report, return, send, include'],
  [/\b(hear|hears|heard|hearing|un(heard))\b/, 'receive, received, connected'],
  [/\b(hol(e|es))\b/, 'gap'],
  [/\banew\b|\bonce more\b/, 'again'],
  [/\bwhoever\b|\bthose who\b|\bwho comes\b/, 'clients, callers, subscribers'],
  [/\bnobody\b|\bis asked of\b/, 'no client, idle, not polled'],
  [/\bso (long|many)\b/, 'name the number'],
  [/\b(of|in) which\b/, 'name the thing'],
  [/\bthe moment before\b/, 'the previous …'],
  [/\blets? go of\b/, 'releases'],
  [/\brubbish\b|\bof no sense\b/, 'malformed, invalid'],
  [/\bgoodbyes?\b/, 'close frame'],
  [/\btelephones?\b/, 'phone, mobile'],
  [/\b(desk|desks)\b/, 'coordinator, engine'],
  [/\b(shel(f|ves|ved))\b/, 'table'],
  [/\bseats?\b/, 'slot'],
  [/\blanes?\b/, 'shard, column'],
  [/\b(tally|tallies)\b/, 'counter'],
  [/\bharvests?\b/, 'parsed tables'],
  [/\b(trouble|troubles)\b/, 'problem, failure'],
  [/\b(some|any|every)body\b/, 'a client, a caller, all'],
  [/\b(go|goes|went) on\b/, 'continue'],
  [/\bin sight\b/, 'visible'],
  [/\bfor ever\b/, 'forever'],
  [/\bseldom\b/, 'rarely'],
  [/\basked for\b/, 'requested'],
  [/\bthe one before\b/, 'the previous one'],
  [/\b(says|said) of\b/, 'reports'],
  [/\blets? go\b/, 'releases, drops'],
];

/** Names that others chose, and that we only repeat: text of the line → why it may stay. */
const allowed: readonly (readonly [text: RegExp, why: string])[] = [
  [/\bTapeHole\b/, 'a record of the published contract'],
  [/`(hol)es:\$\{coin\}`/, 'a topic on the shared bus'],
  [/\{ name: 'heard', keep: latest \}/, 'a topic on the shared bus'],
  [/\{crosstape:seats:/, 'a key in Redis'],
];

/** What is checked. */
const places = [
  'ARCHITECTURE.md',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench',
  'deploy',
  'docs',
  'examples',
  'packages/client/src',
  'packages/client/README.md',
  'packages/core/src',
  'packages/dashboard/src',
  'packages/server/src',
  'packages/simulator/src',
  'packages/venues/src',
  'scripts',
  'test',
];

const root = fileURLToPath(new URL('../', import.meta.url));
const isText = /\.(ts|mjs|js|svelte|html|css|md|json|yml|yaml|toml|conf|service|sh|py)$/;
/** Built files, and what a venue sent: neither is our wording. */
const isSkipped = /(^|\/)(node_modules|dist|bundle|fixtures|screenshots|check-words\.ts)(\/|$)/;

function filesIn(place: string): string[] {
  if (isSkipped.test(place)) return [];
  if (isText.test(place)) return [place];
  if (!statSync(root + place).isDirectory()) return [];
  return readdirSync(root + place).flatMap((name) => filesIn(`${place}/${name}`));
}

/** `reportedAtMs` and `TOLD_AT_MS` are read as the words that they are made of. */
function wordsOf(line: string): string {
  return line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

let found = 0;
for (const path of places.flatMap(filesIn)) {
  const lines = [path, ...readFileSync(root + path, 'utf8').split('\n')];
  for (const [number, line] of lines.entries()) {
    if (allowed.some(([text]) => text.test(line))) continue;
    const words = wordsOf(line);
    for (const [marker, instead] of banned) {
      const [word] = marker.exec(words) ?? [];
      if (word === undefined) continue;
      found += 1;
      console.error(`${path}:${number}: "${word}"; write instead: ${instead}`);
    }
  }
}
if (found > 0) {
  console.error(`${found} words that docs/STYLE.md asks to avoid`);
  process.exitCode = 1;
}
