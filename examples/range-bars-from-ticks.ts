/**
 * Builds range bars twice, on the server and here from the same recorded ticks, and compares the two byte for byte.
 *
 *     npx tsx --conditions=crosstape-source examples/range-bars-from-ticks.ts http://127.0.0.1:8080 BTC
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { createBuilder, decodePack, decodeTicks, encodePack, markComplete } from '@crosstape/core';

const [origin = 'http://127.0.0.1:8080', asked = 'BTC'] = process.argv.slice(2);
const base = `${origin}/api/v1/perps`;

type Answer<Data> = { data: Data; meta: { nextStart?: number | null }; error?: string };

async function ask<Data>(path: string, init?: RequestInit): Promise<Answer<Data>> {
  const response = await fetch(base + path, init);
  const body = (await response.json()) as Answer<Data>;
  if (!response.ok) throw new Error(body.error);
  return body;
}

// The server builds.
const build = await ask<{ jobId: string; cacheKey: string }>('/rotations/build', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ coin: asked, kind: 'range', params: { rangeTicks: 20 }, days: 1 }),
});
for (;;) {
  const job = (await ask<{ status: string; error?: string }>(`/rotations/job?id=${build.data.jobId}`)).data;
  if (job.status === 'error') throw new Error(job.error);
  if (job.status === 'done') break;
  await sleep(100);
}
const result = await fetch(`${base}/rotations/result?key=${build.data.cacheKey}`);
const theirs = gunzipSync(await result.arrayBuffer());
const { coin, spec, stats } = decodePack(theirs);

// So do we, from the ticks of the same time, page by page.
const builder = createBuilder(spec);
const firstTs = stats.firstTs ?? 0;
const end = (stats.lastTs ?? 0) + 1;
for (let start: number | null | undefined = firstTs; typeof start === 'number'; ) {
  const pageStart = start;
  const path = `/trades/history?coin=${coin}&start=${start}&end=${end}`;
  const page: Answer<{ chunks: { data: string }[] }> = await ask(path);
  for (const { data } of page.data.chunks) {
    const ticks = decodeTicks(gunzipSync(Buffer.from(data, 'base64')));
    // A page begins with a whole chunk, which may have trades of the page before.
    const from = ticks.ts.findIndex((ts) => ts >= pageStart);
    // Trades of the last millisecond may have come after the build.
    builder.add(ticks, from, Math.min(ticks.length, from + stats.trades - builder.trades));
  }
  start = page.meta.nextStart;
}
const gaps = stats.gaps.map(({ from, to }) => ({ from, to: to - 1 }));
const open = markComplete(builder.bars, builder.open, gaps);
const ours = encodePack({ coin, spec, bars: builder.bars, open, state: builder.state(), stats });
const verdict = theirs.equals(ours) ? 'identical' : 'different';
console.log(`${builder.trades} trades, ${builder.bars.length} bars: ${verdict}`);
process.exitCode = verdict === 'identical' ? 0 : 1;
