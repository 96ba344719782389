import { linesOf } from './lines-of.ts';
import { printScaled } from '../../features/tape/print-scaled.ts';
import { type FileRow, findColumns, type TickFormat, tickColumns } from './tick-file.ts';

/**
 * One object a line:
 * `{"ts":1760000000000,"price":96500,"size":0.05,"side":"buy","tid":130551209964377,"sameOrder":false}`,
 * with `venueTs` before `sameOrder` if the trade arrived late.
 */
export const ndjsonTicks: TickFormat = {
  name: 'ndjson',
  place: 'line',
  isText: true,

  print(sink) {
    return {
      async add({ columns, ids }, from, to) {
        const { ts, price, size, isBuy, sameOrder, priceDecimals, sizeDecimals } = columns;
        const lines: string[] = [];
        for (let i = from; i < to; i += 1) {
          const at = ts[i] as number;
          const lateMs = ids.lateMs[i] as number;
          lines.push(
            `{"ts":${at},"price":${printScaled(price[i] as number, priceDecimals)},"size":${printScaled(size[i] as number, sizeDecimals)},` +
              `"side":"${isBuy[i] === 1 ? 'buy' : 'sell'}","tid":${ids.tid[i]},` +
              `${lateMs === 0 ? '' : `"venueTs":${at - lateMs},`}"sameOrder":${sameOrder[i] === 1}}\n`,
          );
        }
        await sink.write(lines.join(''));
      },
      finish: async () => undefined,
    };
  },

  async *read(path, onBytes) {
    let place = 0;
    for await (const lines of linesOf(path, onBytes)) {
      const rows: FileRow[] = [];
      for (const line of lines) {
        place += 1;
        rows.push({ place, cells: readObject(line, `${path}, line ${place}`) });
      }
      yield rows;
    }
  },
};

function readObject(line: string, where: string): FileRow['cells'] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${where}: not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where}: not an object`);
  findColumns(Object.keys(value), where);
  return tickColumns.map((column) => (value as Readonly<Record<string, unknown>>)[column]);
}
