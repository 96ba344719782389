import { linesOf } from './lines-of.ts';
import { printScaled } from '../../features/tape/print-scaled.ts';
import { type FileRow, findColumns, type TickFormat, tickColumns } from './tick-file.ts';

/**
 * ```
 * ts,price,size,side,tid,venueTs,sameOrder
 * 1760000000000,96500,0.05,buy,130551209964377,,false
 * ```
 * Read by the names in the first line, in any order; nothing is quoted.
 */
export const csvTicks: TickFormat = {
  name: 'csv',
  place: 'line',
  isText: true,

  print(sink) {
    let head = `${tickColumns.join(',')}\n`;
    return {
      async add({ columns, ids }, from, to) {
        const { ts, price, size, isBuy, sameOrder, priceDecimals, sizeDecimals } = columns;
        const lines = [head];
        head = '';
        for (let i = from; i < to; i += 1) {
          const at = ts[i] as number;
          const lateMs = ids.lateMs[i] as number;
          lines.push(
            `${at},${printScaled(price[i] as number, priceDecimals)},${printScaled(size[i] as number, sizeDecimals)},` +
              `${isBuy[i] === 1 ? 'buy' : 'sell'},${ids.tid[i]},${lateMs === 0 ? '' : at - lateMs},${sameOrder[i] === 1}\n`,
          );
        }
        await sink.write(lines.join(''));
      },
      async finish() {
        await sink.write(head);
      },
    };
  },

  async *read(path, onBytes) {
    let at: readonly number[] | undefined;
    let width = 0;
    let place = 0;
    for await (const lines of linesOf(path, onBytes)) {
      const rows: FileRow[] = [];
      for (const line of lines) {
        place += 1;
        const given = line.split(',');
        if (!at) {
          at = findColumns(given, `${path}, line 1`);
          width = given.length;
          continue;
        }
        if (given.length !== width)
          throw new Error(`${path}, line ${place}: ${given.length} cells, but ${width} columns`);
        rows.push({ place, cells: at.map((i) => given[i]) });
      }
      yield rows;
    }
    if (!at) throw new Error(`${path} is empty; its first line must name the columns`);
  },
};
