import { linesOf } from './lines-of.ts';
import { printScaled } from './print-scaled.ts';
import { checkColumns, type FileRow, type TickFormat, tickColumns } from './tick-file.ts';

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
    let names: readonly string[] | undefined;
    let place = 0;
    for await (const lines of linesOf(path, onBytes)) {
      const rows: FileRow[] = [];
      for (const line of lines) {
        place += 1;
        const cells = line.split(',');
        if (!names) {
          names = cells.map((name) => name.trim());
          checkColumns(names, `${path}, line 1`);
          continue;
        }
        if (cells.length !== names.length)
          throw new Error(`${path}, line ${place}: ${cells.length} cells, but ${names.length} columns`);
        rows.push({ place, cells: Object.fromEntries(names.map((name, i) => [name, cells[i]])) });
      }
      yield rows;
    }
    if (!names) throw new Error(`${path} is empty; its first line must name the columns`);
  },
};
