import { gzipLines, tradeLines, TRADES_HEAD } from '../../features/datasets/tardis-csv.ts';
import { venueOf } from '../../store/market-key.ts';
import type { ExportFormat } from './tick-file.ts';

/** Gzipped CSV in the format of Tardis' trade files: microseconds, one gzip member per chunk. */
export const tardisTicks: ExportFormat = {
  name: 'tardis',
  isText: false,
  print(sink, { id, symbol }) {
    const exchange = venueOf(id);
    let head = TRADES_HEAD;
    const write = async (lines: string): Promise<void> => {
      if (head + lines !== '') await sink.write(gzipLines(head + lines));
      head = '';
    };
    return {
      add: (ticks, from, to) => write(tradeLines({ exchange, symbol }, ticks, from, to)),
      finish: () => write(''),
    };
  },
};
