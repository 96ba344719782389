import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from './long.ts';
import { compileErrors } from './samples/compile-errors.ts';
import { samplesOf } from './samples/extract.ts';
import { expectShape } from './samples/shape.ts';
import { Stage } from './samples/stage.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  'README.md',
  'packages/client/README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !/^(STYLE|add-|decisions)/.test(file))
    .map((file) => `docs/${file}`)
    .toSorted(),
].map((file) => ({ file, samples: samplesOf(file, readFileSync(root + file, 'utf8')) }));
const withSamples = documents.filter(({ samples }) => samples.some(({ language }) => language !== 'text'));

/** Whose samples take long, and are played with `LONG=1`; what runs the same commands and calls otherwise. */
const playedLater: Readonly<Record<string, string>> = {
  'docs/guides/capture.md': 'test/capture.test.ts',
  'docs/guides/packed-formats.md': 'packages/core/src/ticks and packages/client/src/bars',
  'docs/guides/production.md': 'test/deploy.test.ts, test/keys.test.ts, packages/server/src/commands/archive',
  'docs/lake.md': 'packages/server/src/features/lake/lake-clients.test.ts',
  'docs/python.md': 'test/python.test.ts',
};
const played = withSamples.filter(({ file }) => isLong || !(file in playedLater));

/** What cannot be run here, by its first line. */
const unrun: readonly string[] = [
  'README.md: npm ci && npm start     # runs the service and prints its address',
  'packages/client/README.md: npm pack -w @crosstape/core -w @crosstape/client --pack-destination ..',
  'docs/guides/capture.md: npx crosstape capture --minutes 5 --out capture.ndjson.gz',
  'docs/guides/check-us.md: HOUR=$(( ($(date +%s) / 3600 - 1) * 3600 ))000',
  'docs/guides/check-us.md: aws s3 cp --recursive --request-payer requester \\',
  'docs/guides/check-us.md: npm start -- --upstream live --hyperliquid-fills-dir ~/hl/data/node_fills_by_block',
  'docs/guides/check-us.md: npx crosstape sim --port 8090 --fills ./fills --fills-days 0',
  'docs/guides/check-us.md: npx crosstape sim --fills ./fills --fills-days 1',
  'docs/guides/first-five-minutes.md: npm ci',
  'docs/guides/production.md: docker compose -f deploy/docker-compose.yml up -d --build',
  'docs/guides/production.md: docker compose -f deploy/docker-compose.yml --profile monitoring up -d',
  'docs/guides/production.md: git clone <this repository> /opt/crosstape',
  'docs/guides/production.md: location / {',
  'docs/guides/production.md: cd /opt/crosstape',
  'docs/guides/production.md: docker compose -f deploy/docker-compose.yml exec -T crosstape node packages/server/bin/crosstape.js keys create --tier pro --label "team 7"',
  'docs/guides/production.md: alerting:',
  'docs/guides/production.md: git pull && systemctl stop crosstape && npm ci && systemctl start crosstape',
  'docs/guides/production.md: git pull && docker compose -f deploy/docker-compose.yml up -d --build',
  'docs/guides/production.md: git pull && docker compose -f deploy/docker-compose.yml --profile redis build standby',
  'docs/guides/production.md: echo "REDIS_PASSWORD=$(openssl rand -hex 24)" >> deploy/.env',
  "docs/lake.md: CREATE SECRET (TYPE s3, ENDPOINT '127.0.0.1:8080', URL_STYLE 'path', USE_SSL false, REGION 'us-east-1');",
  'docs/mcp.md: claude mcp add --transport http crosstape http://127.0.0.1:8080/mcp',
  'docs/scaling.md: crosstape serve --role ingest  --redis redis://:$REDIS_PASSWORD@redis:6379     # two: one leader, one standby',
  'docs/scaling.md: crosstape serve --role ingest --redis $REDIS_URL --record-markets top:20 --venues hyperliquid,bybit,okx    # the primary group, two of these',
  'docs/simulator.md: npx crosstape sim --port 9100 --seed 7 --scenario flaky --rate 2',
];

it('leaves out nothing but what is known to be impossible here', () => {
  const marked = documents.flatMap(({ file, samples }) =>
    samples
      .filter(({ marks }) => marks.includes('unrun'))
      .map(({ text }) => `${file}: ${text.split('\n')[0]}`),
  );
  expect(marked).toEqual(unrun);
});

it('in TypeScript is accepted by a strict compiler', () => {
  const programs = documents.flatMap(({ samples }) => samples.filter(({ language }) => language === 'ts'));
  expect(programs.length).toBeGreaterThan(5);
  const wrong = {
    file: 'wrong.md',
    line: 1,
    language: 'ts',
    marks: [],
    text: 'const n: number = "1";\nexport { n };',
  };
  expect(compileErrors([...programs, wrong])).toEqual([expect.stringMatching(/^wrong\.md:1 /)]);
});

describe('every sample works', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  // Most of them wait for a program to start, or for data to arrive.
  it.concurrent.each(played)('of $file', ({ samples }) => stage.play(samples));
});

describe('the check itself', () => {
  it('knows a field that is not there, and one of another type', () => {
    expect(() => expectShape({ a: 1 }, { b: 1 })).toThrow();
    expect(() => expectShape({ a: [{ b: 1 }] }, { a: [{ b: '1' }] })).toThrow();
    expectShape({ a: [{ b: 1 }] }, { a: [{ b: 2, c: 3 }], d: null });
  });

  it('finds every block with its line', () => {
    expect(samplesOf('x.md', 'a\n```sh stream\nb\nc\n```\n```\nd\n```')).toEqual([
      { file: 'x.md', line: 3, language: 'sh', marks: ['stream'], text: 'b\nc' },
      { file: 'x.md', line: 7, language: '', marks: [], text: 'd' },
    ]);
  });
});
