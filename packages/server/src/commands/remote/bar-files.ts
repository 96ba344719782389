import { type Bar, barAt, barsToJson, type ResultPack } from '@crosstape/core';
import { parquetWriteBuffer } from 'hyparquet-writer';

const wholes = new Set(['index', 'openTs', 'closeTs', 'trades', 'direction']);

/** File formats of built bars. Only `json` has the bar in progress. */
export const barFormats: Readonly<Record<string, (pack: ResultPack) => string | Uint8Array>> = {
  csv(pack) {
    const { names, bars } = tableOf(pack);
    const lines = [names, ...bars.map((bar) => names.map((name) => bar[name]))];
    return lines.map((cells) => `${cells.join(',')}\n`).join('');
  },
  ndjson: (pack) =>
    tableOf(pack)
      .bars.map((bar) => `${JSON.stringify(bar)}\n`)
      .join(''),
  json: (pack) => `${JSON.stringify(barsToJson(pack))}\n`,
  parquet(pack) {
    const { names, bars } = tableOf(pack);
    const columnData = names.map((name) => {
      const data = bars.map((bar) => bar[name]);
      if (name === 'complete') return { name, data, type: 'BOOLEAN' as const };
      if (!wholes.has(name)) return { name, data, type: 'DOUBLE' as const };
      return { name, data: data.map((value) => BigInt(value as number)), type: 'INT64' as const };
    });
    return new Uint8Array(parquetWriteBuffer({ columnData }));
  },
};

interface Table {
  /** Every kind has the same fields, plus a few of its own. */
  readonly names: readonly string[];
  readonly bars: readonly Bar[];
}

function tableOf({ bars: { length }, bars: columns }: ResultPack): Table {
  const bars = Array.from({ length }, (_, i) => barAt(columns, i));
  // Without bars the names are still needed for the header.
  return { names: Object.keys(barAt(columns, 0)), bars };
}
