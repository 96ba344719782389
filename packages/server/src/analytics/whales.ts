import type { Print } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import { WHALE_FLOOR_USD, type WhaleQuery, type WhaleShelf } from '../store/whale-shelf.ts';
import { printTopic } from '../topics.ts';

export interface WhaleAnswer {
  /** Newest first. */
  readonly prints: readonly Print[];
  /** Prints older than this were not recorded, or are no longer kept. */
  readonly completeSinceMs: number;
}

export interface WhaleReader {
  newest(query: WhaleQuery): Promise<WhaleAnswer>;
}

export interface WhaleReaderOptions {
  readonly bus: Bus;
  readonly shelf: WhaleShelf;
  /** When the recording on the shelf begins. */
  readonly recordedSinceMs: () => number;
}

/**
 * Large prints come from the shelf, and the newest ones, which may not be written yet, from the log. Prints below the
 * shelf's floor exist in the log alone, and the answer says how far back that goes.
 */
export function createWhaleReader({ bus, shelf, recordedSinceMs }: WhaleReaderOptions): WhaleReader {
  const log = bus.log(printTopic);
  const fromLog = ({ minUsd, coin, sinceMs = 0, limit }: WhaleQuery): Print[] => {
    const found: Print[] = [];
    for (let position = log.end - 1; position >= log.start; position -= 1) {
      const print = log.at(position);
      if (!print || print.notionalUsd < minUsd || print.ts < sinceMs) continue;
      if (coin === undefined || print.coin === coin) found.push(print);
    }
    return newestFirst(found).slice(0, limit);
  };
  return {
    async newest(query) {
      if (query.minUsd < WHALE_FLOOR_USD)
        return { prints: fromLog(query), completeSinceMs: log.completeFromTs };
      const merged = new Map(
        [...(await shelf.newest(query)), ...fromLog(query)].map((print) => [identity(print), print]),
      );
      return {
        prints: newestFirst([...merged.values()]).slice(0, query.limit),
        completeSinceMs: recordedSinceMs(),
      };
    },
  };
}

function identity({ coin, ts, tid }: Print): string {
  return `${coin}:${ts}:${tid}`;
}

function newestFirst(prints: readonly Print[]): Print[] {
  return prints.toSorted((a, b) => b.ts - a.ts || b.tid - a.tid);
}
