import { systemClock } from '@crosstape/simulator';
import { expect } from 'vitest';

/** Markets of other venues than the primary: one with consecutive trade numbers, and one without. */
export const otherMarkets = ['binance:BTCUSDT', 'bybit:BTCUSDT'];
/** Their venues. */
export const otherVenues = ['binance', 'bybit'];

/** The newest trades and their coverage change while they are read. */
const BEHIND_MS = 5_000;

interface Row {
  readonly ts: number;
  readonly tid: number;
  readonly venueTs?: number;
}

const get = async <Body>(url: string): Promise<Body> => (await fetch(url)).json() as Promise<Body>;

/**
 * What a service at `url` has recorded of a market has no doubles and, where it is whole since a time, as many trades as
 * the simulated venue made.
 */
export async function expectWholeMarket(
  { url, simulatorUrl }: { readonly url: string; readonly simulatorUrl: string },
  id: string,
  fromMs: number,
): Promise<void> {
  const range = `from=${fromMs}&to=${systemClock.now() - BEHIND_MS}`;
  const { data } = await get<{ data: readonly { from: number; to: number; state: string }[] }>(
    `${url}/api/v1/coverage?market=${id}&${range}`,
  );
  const rows: Row[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const path = `/api/v1/perps/trades/history?market=${id}&format=json&start=${start}`;
    const page: { data: Row[]; meta: { nextStart: number | null } } = await get(`${url}${path}`);
    rows.push(...page.data);
    start = page.meta.nextStart;
  }
  const names = new Set(rows.map(({ ts, venueTs = ts, tid }) => `${venueTs} ${tid}`));
  expect(names.size, `${id} has doubles`).toBe(rows.length);
  const whole = data.filter(({ state }) => state === 'complete' || state === 'refilled');
  expect(whole.length, `${id}: ${JSON.stringify(data)}`).toBeGreaterThan(0);
  const [venue, symbol] = id.split(':');
  for (const { from, to } of whole) {
    const query = `venue=${venue}&market=${symbol}&fromMs=${from}&toMs=${to}`;
    const { markets } = await get<{ markets: readonly { made: number }[] }>(
      `${simulatorUrl}/sim/trades?${query}`,
    );
    const own = rows.filter(({ ts, venueTs = ts }) => venueTs >= from && venueTs < to);
    expect(own.length, `${id} from ${from} to ${to}`).toBe(markets[0]?.made);
  }
}
