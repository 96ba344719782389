import { readFile } from 'node:fs/promises';
import type { Clock } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import type { MarketChoice } from '../platform/market-choice.ts';
import { readMarketsFile } from '../settings/record-markets.ts';

/** How often the file is read again. */
const READ_EVERY_MS = 5_000;

export interface WatchMarketsFileOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each other valid content. */
  readonly onChoice: (choice: MarketChoice) => void;
}

/** Follows the file that `RECORD_MARKETS` names. One that is invalid or cannot be read changes nothing. */
export function watchMarketsFile({ file, clock, log, onChoice }: WatchMarketsFileOptions): () => void {
  let before: { readonly text: string | undefined } | undefined;
  let latest: string | undefined;
  const read = async (): Promise<void> => {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const isFirst = before === undefined;
    // It may be in the middle of being written: two reads must agree.
    const isSettled = isFirst || text === latest;
    latest = text;
    if (!isSettled || (before && text === before.text)) return;
    before = { text };
    const choice = text === undefined ? undefined : readMarketsFile(text);
    if (!choice)
      return log.warn({ file }, 'the file of recorded markets is not valid; they stay as they were');
    onChoice(choice);
    if (!isFirst) log.info({ file }, 'the list of recorded markets was changed');
  };
  void read();
  const timer = clock.every(READ_EVERY_MS, () => void read());
  return () => timer.cancel();
}
