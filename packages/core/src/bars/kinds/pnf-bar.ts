import { type BarKind, numberParam } from '../bar-kind.ts';
import { exactDecimal, powerOfTen, reachable, timesExact } from '../exact-decimal.ts';
import { LIMB } from '../exact-sums.ts';

const levelRange = { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

/**
 * Point and figure. Levels are counted in boxes. The memory is the current column: direction, first and last level.
 * A column ends only by turning, so an empty bar with a direction in memory is the start of the opposite column.
 */
export const pnfBar: BarKind = {
  name: 'pnf',
  summary: 'Columns of a point-and-figure chart on trade prices.',
  params: [
    {
      name: 'boxTicks',
      description: 'Height of a box, in ticks',
      type: 'integer',
      min: 1,
      max: 1_000_000,
    },
    {
      name: 'reversal',
      description: 'Boxes back from the last level that turn a column',
      type: 'integer',
      min: 1,
      max: 10,
      default: 3,
    },
  ],
  extras: ['boxes'],
  memory: [{ min: -1, max: 1 }, levelRange, levelRange],
  createRule(spec) {
    const boxExact = timesExact(exactDecimal(spec.tick), numberParam(spec, 'boxTicks'));
    const reversal = numberParam(spec, 'reversal');
    // Prices and boxes are both integers on a grid as fine as the finer of the two.
    let gridPerPrice = 1;
    let gridPerUnit = 1;
    let box = 1;

    const toGrid = (price: number): number => {
      const grid = price * gridPerPrice;
      if (grid < LIMB) return grid;
      throw new RangeError(`a price is too large for exact boxes with a tick of ${spec.tick}`);
    };
    // Exact, because both are integers below 2^53: a fractional quotient is never rounded to an integer.
    const floorLevel = (grid: number): number => Math.floor(grid / box);
    const ceilLevel = (grid: number): number => Math.ceil(grid / box);
    // The only level of a box beyond all prices is 0.
    const levelPrice = (level: number): number => (level === 0 ? 0 : (level * box) / gridPerUnit);

    return {
      rescale({ priceDecimals }) {
        const decimals = Math.max(priceDecimals, boxExact.decimals);
        gridPerPrice = 10 ** (decimals - priceDecimals);
        gridPerUnit = 10 ** decimals;
        box = reachable(boxExact.digits * powerOfTen(decimals - boxExact.decimals));
      },
      scan(bar, { price }, from, to, memory) {
        let direction = memory[0]!;
        let first = memory[1]!;
        let last = memory[2]!;
        let i = from;
        if (bar.trades === 0) {
          const grid = toGrid(price[from]!);
          if (direction === 0) {
            first = floorLevel(grid);
            last = first;
          } else {
            direction = -direction;
            first = last + direction;
            last = direction > 0 ? floorLevel(grid) : ceilLevel(grid);
          }
          i += 1;
        }
        for (;;) {
          // The prices that extend or reverse the column; between them nothing happens.
          const up = Math.ceil(((last + (direction < 0 ? reversal : 1)) * box) / gridPerPrice);
          const down = Math.floor(((last - (direction > 0 ? reversal : 1)) * box) / gridPerPrice);
          while (i < to && price[i]! < up && price[i]! > down) i += 1;
          if (i === to) break;
          const isUp = price[i]! >= up;
          if (isUp ? direction < 0 : direction > 0) {
            bar.isClosed = true;
            break;
          }
          direction = isUp ? 1 : -1;
          last = isUp ? floorLevel(toGrid(price[i]!)) : ceilLevel(toGrid(price[i]!));
          i += 1;
        }
        memory[0] = direction;
        memory[1] = first;
        memory[2] = last;
        return i;
      },
      finish(row, memory) {
        const first = memory[1]!;
        const last = memory[2]!;
        row.open = levelPrice(first);
        row.close = levelPrice(last);
        row.direction = memory[0]!;
        row.extras[0] = Math.abs(last - first) + 1;
      },
    };
  },
};
