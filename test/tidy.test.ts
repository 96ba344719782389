import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * Who may import whom. A module is a package, or a folder or file of the server; the longest matching path wins.
 * Packages outside the workspace are named with what is allowed to use them only where that matters.
 */
const modules: Readonly<Record<string, readonly string[]>> = {
  'packages/core/src': [],
  'packages/venues/src': ['packages/core/src'],
  'packages/client/src': ['packages/core/src'],
  'packages/dashboard/src': ['packages/client/src'],
  'packages/simulator/src': ['packages/core/src', 'packages/venues/src'],
  ...inServer({
    platform: [],
    'topics.ts': ['platform'],
    health: ['platform', 'topics.ts'],
    settings: ['venues', 'platform'],
    store: ['platform'],
    ingest: ['venues', 'platform', 'topics.ts'],
    http: ['platform', 'topics.ts'],
    sse: ['platform', 'health', 'http'],
    gateway: ['platform', 'health', 'http'],
    features: ['venues', 'platform', 'topics.ts', 'health', 'store', 'ingest', 'http', 'sse', 'gateway'],
    cluster: ['platform', 'topics.ts', 'store', 'gateway', 'features'],
    docs: ['platform', 'http', 'features'],
    capture: ['venues', 'platform', 'ingest'],
    replay: ['capture'],
  }),
};

/** What folders and files of the server may import, by name; `core` is open to all. */
function inServer(
  allowed: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  const pathOf = (name: string): string =>
    name === 'venues' ? 'packages/venues/src' : `packages/server/src/${name}`;
  return Object.fromEntries(
    Object.entries(allowed).map(([name, others]) => [
      pathOf(name),
      ['packages/core/src', ...others.map(pathOf)],
    ]),
  );
}

/** The server's assembly: it starts and joins the modules, and no module imports it. */
const assembly = [
  'api',
  'cluster/roles',
  'commands',
  'dashboard.ts',
  'index.ts',
  'ingest-worker.ts',
  'main.ts',
  'roles',
  'seeding',
  'service.ts',
  'upstream.ts',
  'worker.ts',
];

/** Modules that depend on neither Node nor any library. */
const pureModules = ['packages/core/src', 'packages/venues/src'];

const LINES_MAX = 400;
const forbiddenNames = ['utils', 'helpers', 'handy', 'common', 'misc', 'manager', 'base', 'impl'];

const root = fileURLToPath(new URL('..', import.meta.url));
const allFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
const files = allFiles.filter(
  (file) => /\.(ts|mjs|svelte)$/.test(file) && !/\.d\.ts$|\/generated\//.test(file),
);
const sources = files.filter(
  (file) => /^packages\/[a-z]+\/src\//.test(file) && !/\.(test|fixture)\.ts$|\/testing\//.test(file),
);

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

function moduleOf(file: string): string | undefined {
  if (assembly.some((part) => isIn(file, `packages/server/src/${part}`))) return undefined;
  const matching = Object.keys(modules).filter((module) => isIn(file, module));
  return matching.toSorted((a, b) => b.length - a.length)[0];
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (found) => (found[1] ?? found[2]) as string,
  );
}

/** The workspace file or door that an import names; `undefined` for anything outside the workspace. */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(file), specifier));
  const workspace = /^@crosstape\/([a-z]+)/.exec(specifier)?.[1];
  return workspace ? `packages/${workspace}/src/index.ts` : undefined;
}

describe('the import table', () => {
  it.each(sources)('%s imports only what its module may', (file) => {
    const module = moduleOf(file);
    if (!module) return expect(assembly.some((part) => isIn(file, `packages/server/src/${part}`))).toBe(true);
    for (const specifier of importsOf(file)) {
      const target = targetOf(file, specifier);
      if (!target) {
        if (pureModules.includes(module)) expect.fail(`${module} may not import ${specifier}`);
        continue;
      }
      const other = moduleOf(target);
      const isAllowed =
        other !== undefined && (other === module || (modules[module] as readonly string[]).includes(other));
      if (!isAllowed) expect.fail(`${module} may not import ${other ?? target}`);
    }
  });
});

describe('house rules', () => {
  it.each(files)('%s is short enough and well named', (file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    expect(lines, 'lines').toBeLessThanOrEqual(LINES_MAX);
    const parts = file.replace(/\.[a-z.]+$/, '').split(/[/.]/);
    expect(parts.filter((part) => forbiddenNames.includes(part))).toEqual([]);
  });

  it('marks nothing as unfinished and silences no check', () => {
    const marks =
      /\b(TODO|FIXME|XXX)\b|@ts-ignore|\bas any\b|\.(skip|only)\(|(oxlint|eslint|biome)-(disable|ignore)/;
    const marked = files.filter(
      (file) => file !== 'test/tidy.test.ts' && marks.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(marked).toEqual([]);
  });

  it('makes no code at run time', () => {
    const makers = /\beval\(|\bnew Function\(|'node:vm'/;
    expect(sources.filter((file) => makers.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it.each(['endpoints', 'streams', 'channels'])(
    'lists every file of features/*/%s, and nothing else',
    (kind) => {
      const features = 'packages/server/src/features';
      const definers = { endpoints: 'endpoint', streams: 'stream', channels: 'gatewayChannel' };
      const present = sources.filter(
        (file) =>
          file.startsWith(`${features}/`) &&
          file.split('/').at(-2) === kind &&
          readFileSync(join(root, file), 'utf8').includes(`= ${definers[kind as keyof typeof definers]}(`),
      );
      const listed = importsOf(`${features}/${kind}.ts`)
        .filter((specifier) => specifier.includes(`/${kind}/`))
        .map((specifier) => join(features, specifier));
      expect(listed.toSorted()).toEqual(present.toSorted());
    },
  );
});

it('has no document with a link to a file that does not exist', () => {
  const documents = allFiles.filter((file) => file.endsWith('.md'));
  const dead = documents.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!\/|#|[a-z]+:)([^)#\s]+)/g)]
      .filter(([, link]) => !existsSync(join(root, dirname(file), link as string)))
      .map(([, link]) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});

it('shows a screenshot of every page of the dashboard at both widths', () => {
  const pages = readdirSync(join(root, 'packages/dashboard/src/pages'));
  const pictures = pages.flatMap((page) => [`${page}-wide.png`, `${page}-phone.png`]).toSorted();
  const gallery = readFileSync(join(root, 'docs/screenshots/README.md'), 'utf8');
  const shown = gallery.matchAll(/src="([^"]+)/g);
  expect(readdirSync(join(root, 'docs/screenshots')).toSorted()).toEqual(['README.md', ...pictures]);
  expect([...shown].map(([, picture]) => picture).toSorted()).toEqual(pictures);
});

/** What these prove of venues, answers and the client does not depend on where bus and store are. */
const embeddedOnly = /^(families|markets|venue-limits)\./;

it('every end-to-end test of a world either runs on Redis, too, or is known not to depend on it', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const { scripts } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const ofWorlds = readdirSync(folder).filter(
    (name) =>
      name.endsWith('.test.ts') && /from '\.\/world\.ts'/.test(readFileSync(join(folder, name), 'utf8')),
  );
  const onRedis = scripts['test:redis']?.match(/[\w-]+\.test\.ts/g);
  expect(onRedis?.toSorted()).toEqual(ofWorlds.filter((name) => !embeddedOnly.test(name)).toSorted());
});
