import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * The recipes of `docs/add-a-venue.md` and `docs/add-an-endpoint.md`, followed in a copy of the repository: what they say
 * must be enough. The venue speaks the wire of another one under its own name. In every run the generated files must
 * have what was added, which reads all lists; with `LONG=1` the tests run that venues and endpoints could break.
 */
const isLong = process.env.LONG === '1';
const root = fileURLToPath(new URL('..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'crosstape-'));
const leftOut = ['node_modules', 'dist', 'bundle', '.git', '.svelte-check', 'screenshots'];

/** What was written and changed by hand. */
const added: string[] = [];
const changed: string[] = [];

beforeAll(() => {
  const script = 'tar -C "$1" "${@:3}" -c . | tar -C "$2" -x';
  execFileSync('bash', ['-c', script, '', root, copy, ...leftOut.map((name) => `--exclude=${name}`)]);
  // Packages are those that are installed, but the workspaces are the copy's own.
  for (const folder of ['', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)])
    linkPackages(folder);
});
afterAll(() => rmSync(copy, { recursive: true }));

function linkPackages(folder: string): void {
  const from = join(root, folder, 'node_modules');
  const to = join(copy, folder, 'node_modules');
  const names = readdirSync(join(root, folder)).includes('node_modules') ? readdirSync(from) : [];
  mkdirSync(to, { recursive: true });
  for (const name of names) {
    if (name !== '@crosstape') symlinkSync(join(from, name), join(to, name));
    else cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
}

function write(path: string, text: string): void {
  added.push(path);
  writeFileSync(join(copy, path), text);
}

/** Adds the import of a value, and the value to a list: after the one that is named. */
function enter(path: string, value: string, from: string, after: string): void {
  changed.push(path);
  const text = readFileSync(join(copy, path), 'utf8');
  const entered = text.replace(`\n  ${after},\n`, `\n  ${after},\n  ${value},\n`);
  expect(entered, path).not.toBe(text);
  writeFileSync(join(copy, path), `import { ${value} } from '${from}';\n${entered}`);
}

/** A folder as it is, with some words replaced. */
function copyFolder(from: string, to: string, words: Readonly<Record<string, string>>): void {
  added.push(to);
  cpSync(join(copy, from), join(copy, to), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const name of ['index.ts', 'tested-feed.ts']) {
    const file = join(copy, to, name);
    if (!readdirSync(join(copy, to)).includes(name)) continue;
    let text = readFileSync(file, 'utf8');
    for (const [word, other] of Object.entries(words)) text = text.replaceAll(word, other);
    writeFileSync(file, text);
  }
}

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function failuresOf({ testResults }: Report): readonly string[] {
  return testResults.flatMap(({ message, assertionResults }) => [
    ...(message === '' ? [] : [message]),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join()}`),
  ]);
}

it('a venue is a folder and a line, and as much in the simulator; an endpoint is a file and a line', () => {
  const words = {
    // A second address would be named in docs/sources.md by hand.
    "    otherRest: ['https://contract.mexc.com'],\n": '',
    "id: 'mexc'": "id: 'toy'",
    "venue: 'mexc'": "venue: 'toy'",
    'const mexc': 'const toy',
    venue_g: 'venue_toy',
    'MEXC:': 'TOY:',
    'shape: MEXC': 'shape: TOY',
    "'MEXC'": "'Toy'",
    'mexc.com': 'toy.example',
  };
  copyFolder('packages/venues/src/mexc', 'packages/venues/src/toy', words);
  enter('packages/venues/src/index.ts', 'toy', './toy/index.ts', 'kraken');
  copyFolder('packages/simulator/src/venues/mexc', 'packages/simulator/src/venues/toy', words);
  enter('packages/simulator/src/venues/index.ts', 'toy', './toy/index.ts', 'kraken');
  write(
    'packages/server/src/features/markets/endpoints/markets-toy-hours.ts',
    `import { Type } from 'typebox';
import { endpoint } from '../../context.ts';

export const toyHours = endpoint({
  path: '/markets/toy-hours',
  summary: 'Hours of a toy',
  description: 'How long a toy may be played with.',
  query: Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 24, description: 'Hours to play.' }) }),
  data: Type.Object(
    { hours: Type.Integer({ description: 'Hours left.' }) },
    { examples: [{ hours: 2 }] },
  ),
  cacheSeconds: 5,
  examples: [{ summary: 'Two hours', search: 'hours=2' }],
  async handle({ hours }, context) {
    const { nowMs } = context;
    return { data: { hours }, meta: { fetchedAt: nowMs, source: context.label(['crosstape']) }, validUntilMs: nowMs };
  },
});
`,
  );
  enter(
    'packages/server/src/features/endpoints.ts',
    'toyHours',
    './markets/endpoints/markets-toy-hours.ts',
    'markets',
  );
  expect([added.length, changed.length]).toEqual([3, 3]);

  execFileSync('npm', ['run', '-s', 'generate'], { cwd: copy, stdio: 'inherit' });
  if (isLong) expectTestsPass();
  const openApi = JSON.parse(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')) as { paths: object };
  expect(Object.keys(openApi.paths)).toContain('/markets/toy-hours');
  expect(readFileSync(join(copy, 'docs/guides/endpoints.md'), 'utf8')).toContain('`GET /markets/toy-hours`');
  expect(readFileSync(join(copy, 'docs/sources.md'), 'utf8')).toContain('Toy');
});

function expectTestsPass(): void {
  const tests = [
    'packages/venues',
    'packages/simulator',
    'packages/server/src/api',
    'packages/server/src/features/markets',
    'packages/server/src/features/perps',
    'packages/server/src/features/mcp',
    'packages/server/src/features/endpoints.test.ts',
  ];
  // Another worker would load the same modules again.
  const flags = ['--project', 'packages', '--maxWorkers=1', '--reporter=json', '--outputFile=report.json'];
  // With the counts of every run: the long run has tried the others without what was added.
  const env = { ...process.env, LONG: '' };
  spawnSync('npx', ['vitest', 'run', ...flags, ...tests], { cwd: copy, stdio: 'ignore', env });
  const report = readFileSync(join(copy, 'report.json'), 'utf8');
  expect(failuresOf(JSON.parse(report) as Report)).toEqual([]);
  // They have run over what was added.
  expect(report).toContain('toy');
  expect(report).toContain('/markets/toy-hours');
}
