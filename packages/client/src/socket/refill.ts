import { sendRequest, type Connection } from '../connection.ts';
import type { Following } from './following.ts';
import type { TapeHole, Trade } from './frame-types.ts';

interface JsonPage {
  readonly data: readonly Trade[];
  readonly meta: {
    readonly nextStart: number | null;
    readonly gaps?: readonly TapeHole[];
  };
}

/**
 * Advances a reader of trades to the present with recorded history: its cursor is too old for the gateway. False if
 * that is impossible because the tape does not have its position.
 */
export async function refill(connection: Connection, following: Following): Promise<boolean> {
  const { cursor, asked, mailbox } = following;
  if (!cursor) return false;
  let known = cursor.count;
  let isForgotten = false;
  for (let start: number | null = cursor.ts; start !== null; ) {
    const { market } = asked.params as { readonly market?: string };
    const of = market === undefined ? { coin: asked.symbol } : { market };
    const query = { ...of, start, format: 'json' };
    const page: JsonPage = await sendRequest(
      connection,
      { path: '/perps/trades/history', query },
      async (response) => (await response.json()) as JsonPage,
    );
    for (const { ts, price, size, side, tid } of page.data) {
      if (ts === cursor.ts && known > 0) {
        known -= 1;
        continue;
      }
      following.moveTo(ts);
      const payload = { price, size, side, ts, ...(tid !== undefined && { tid }) };
      mailbox.put({ type: 'data', ts, payload });
    }
    const { gaps = [], nextStart } = page.meta;
    if (gaps.length > 0) mailbox.put({ type: 'caughtUp', gaps });
    isForgotten ||= gaps.some(({ from, to }) => from <= cursor.ts && cursor.ts < to);
    start = nextStart;
  }
  return following.cursor !== cursor && (known === 0 || isForgotten);
}
