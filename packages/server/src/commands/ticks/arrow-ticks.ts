import { arrowTradeColumns, arrowTradeFields } from '../../features/tape/arrow-trades.ts';
import { arrowBatch, arrowEnd, arrowStart } from '../../platform/arrow/arrow-stream.ts';
import type { ExportFormat } from './tick-file.ts';

/** An Arrow IPC stream with the columns of `format=arrow`. */
export const arrowTicks: ExportFormat = {
  name: 'arrow',
  isText: false,
  print(sink, { id: market, coin }) {
    const fields = arrowTradeFields('history', market);
    const start = sink.write(arrowStart(fields, { market, coin }));
    return {
      async add(ticks, from, to) {
        await start;
        if (to > from) await sink.write(arrowBatch(fields, arrowTradeColumns('history', ticks), from, to));
      },
      async finish() {
        await start;
        await sink.write(arrowEnd);
      },
    };
  },
};
