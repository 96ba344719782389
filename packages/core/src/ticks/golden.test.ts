import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeTicks } from './decode-ticks.ts';
import { encodeTicks } from './encode-ticks.ts';
import { IDS_KIND, payloadBody, splitPayloads } from './payload.ts';
import { decodeIds, encodeIds } from './tick-ids.ts';
import { rowsOf } from './tick-rows.fixture.ts';
import { readVarint } from './varint.ts';

/** Served files stay readable forever; `scripts/golden-chunks.ts` wrote these. */
const folder = new URL('golden/', import.meta.url);
const names = readdirSync(fileURLToPath(folder))
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length));

type Decimals = { readonly priceDecimals: number; readonly sizeDecimals: number };

function golden(name: string): { decimals: Decimals; rows: number[][]; ticks: Uint8Array; ids: Uint8Array } {
  const read = (ending: string): Buffer => readFileSync(new URL(`${name}.${ending}`, folder));
  const [first = '', ...lines] = read('jsonl').toString().trimEnd().split('\n');
  return {
    decimals: JSON.parse(first),
    rows: lines.map((line) => JSON.parse(line)),
    ticks: read('ticks.gz'),
    ids: read('ids.gz'),
  };
}

/** The encoding of a payload's ids: its second number. */
function idsMode(payload: Uint8Array): number {
  const body = payloadBody(payload, IDS_KIND);
  return readVarint(body, readVarint(body, 0).next).value;
}

describe('golden chunks', () => {
  it('are all there', () => {
    const kinds = ['ahead-counted', 'ahead', 'counted', 'empty', 'example', 'extremes', 'market'];
    expect(names).toEqual(kinds.map((kind) => `v1-${kind}`));
  });

  it('have ids of every mode', () => {
    const modes = names.map((name) => gunzipSync(golden(name).ids)).map(idsMode);
    expect(new Set(modes)).toEqual(new Set([0, 1, 2, 3]));
  });

  it.each(names)('%s reads as the trades it was made of', (name) => {
    const { decimals, rows, ticks, ids } = golden(name);
    const columns = decodeTicks(gunzipSync(ticks));
    const { length, tid, lateMs } = decodeIds(gunzipSync(ids));
    expect(length).toBe(columns.length);
    expect(columns).toMatchObject(decimals);
    const read = rowsOf(columns).map((row, i) => [...Object.values(row), tid[i], lateMs[i]]);
    expect(read).toEqual(rows);
  });

  it.each(names)('%s is written again as the same bytes', (name) => {
    const { ticks, ids } = golden(name);
    const payload = gunzipSync(ticks);
    expect(Buffer.from(encodeTicks(decodeTicks(payload)))).toEqual(payload);
    const idPayload = gunzipSync(ids);
    expect(Buffer.from(encodeIds(decodeIds(idPayload)))).toEqual(idPayload);
  });

  it('read one behind the other, gunzipped at once', () => {
    const all = names.map(golden);
    const bytes = gunzipSync(Buffer.concat(all.map(({ ticks }) => ticks)));
    const lengths = [...splitPayloads(bytes)].map((payload) => decodeTicks(payload).length);
    expect(lengths).toEqual(all.map(({ rows }) => rows.length));
  });
});
