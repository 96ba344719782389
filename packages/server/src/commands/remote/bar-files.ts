import { type Bar, barAt, barsToJson, type ResultPack } from '@crosstape/core';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** How built bars become a file. The bar in progress is in `json` alone: it is not finished. */
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
      const type = name === 'complete' ? ('BOOLEAN' as const) : ('DOUBLE' as const);
      return { name, data: bars.map((bar) => bar[name]), type };
    });
    return new Uint8Array(parquetWriteBuffer({ columnData }));
  },
};

interface Table {
  /** Every kind has the same fields, and a few of its own. */
  readonly names: readonly string[];
  readonly bars: readonly Bar[];
}

function tableOf({ bars: { length }, bars: columns }: ResultPack): Table {
  const bars = Array.from({ length }, (_, i) => barAt(columns, i));
  return { names: Object.keys(bars[0] ?? {}), bars };
}
