import { afterEach, beforeEach, expect, it } from 'vitest';
import { CoinReporter } from '../coin-reporter.ts';
import { sampleInputs, sampleSpots, tape } from '../figures.fixture.ts';
import type { FlowInputs } from '../flow-figures.ts';
import { flowTopic } from '../flow-report.ts';
import { printTopic, spotTradeTopic } from '../../../topics.ts';
import { etfProxySnap, kimchiSnap, spreadSnap } from '../flow-snaps.ts';
import { printOf } from '../../../api/testing/stream-service.ts';
import { GatewayService, START_MS } from '../../../gateway/testing/gateway-service.ts';

let service: GatewayService;
let reporter: CoinReporter;
beforeEach(async () => {
  service = await GatewayService.start();
  reporter = new CoinReporter('BTC', []);
});
afterEach(() => service.close());

const noFailures = { spot: [], korea: [], proxyTape: [], primaryTape: [], etf: [] } as never;

/** A flow report of BTC, as the engine makes it every second. */
function report(more: Partial<FlowInputs> = {}) {
  const made = reporter.report(sampleInputs(more), () => noFailures);
  service.bus.publish(flowTopic('BTC'), made);
  return made;
}

const subscribe = (channel: string, symbol = 'BTC') => ({ op: 'subscribe', id: channel, channel, symbol });

it.each([
  ['etfProxy', ['farside']],
  ['kimchi', ['frankfurter']],
  ['venueSpread', undefined],
])('the ack of %s names the sources whose terms ask for it', async (channel, names) => {
  const client = await service.connect();
  const { attribution } = await client.ask(subscribe(channel));
  const found = attribution as readonly { source: string; text: string; url: string }[] | undefined;
  expect(found?.map(({ source }) => source)).toEqual(names);
  for (const { text, url } of found ?? []) expect(`${text} ${url}`).toMatch(/^\S.* https:\/\//);
});

it('sends the flow records at once, and again only when they change', async () => {
  const first = report();
  const client = await service.connect();
  for (const channel of ['venueSpread', 'kimchi', 'etfProxy']) {
    expect(await client.ask(subscribe(channel))).toMatchObject({ type: 'ack' });
  }
  await client.until(() => client.of('data').length === 3);
  const { coin, atMs, figures, parts } = first;
  if (!parts.spreads || !parts.kimchi) throw new Error('the sample has all parts');
  expect(client.data('venueSpread')[0]?.payload).toEqual(
    spreadSnap({ coin, atMs, figures, spreads: parts.spreads }, parts.spreads.part),
  );
  expect(client.data('kimchi')[0]?.payload).toEqual(kimchiSnap(coin, parts.kimchi.part));
  expect(client.data('etfProxy')[0]?.payload).toEqual(etfProxySnap(first, 'bitcoin'));
  report();
  report({ spots: sampleSpots({ coinbase: 100_100 }) });
  await client.until(() => client.data('venueSpread').length === 2);
  await client.ask({ op: 'auth', id: 'end' });
  const [before, after] = client.data('venueSpread');
  expect(after).toMatchObject({
    seq: (before?.seq as number) + 1,
    payload: { strongestPremiumVenue: 'coinbase' },
  });
  expect(client.data('venueSpread')).toHaveLength(2);
});

it('sends new subscribers a stale last report for ten minutes, then nothing', async () => {
  report();
  const early = await service.connect();
  await early.ask(subscribe('venueSpread'));
  await early.until(() => early.data('venueSpread').length === 1);
  const labels = (client: typeof early): readonly boolean[] => {
    const rows = (client.data('venueSpread').at(-1)?.payload.rows ?? []) as { stale: boolean }[];
    return [...new Set(rows.map(({ stale }) => stale))];
  };
  expect(labels(early)).toEqual([false]);
  service.clock.advance(6_000);
  const late = await service.connect();
  await late.ask(subscribe('venueSpread'));
  await late.until(() => late.data('venueSpread').length === 1);
  expect(labels(late)).toEqual([true]);
  // Unchanged, but no longer stale: subscribers that received it as stale get it again.
  report();
  await late.until(() => late.data('venueSpread').length === 2);
  expect(labels(late)).toEqual([false]);
  service.clock.advance(600_000);
  const tooLate = await service.connect();
  await tooLate.ask(subscribe('venueSpread'));
  report({ spots: sampleSpots({ coinbase: 100_100 }) });
  await tooLate.until(() => tooLate.data('venueSpread').length > 0);
  expect(tooLate.data('venueSpread').map(({ payload }) => payload.strongestPremiumVenue)).toEqual([
    'coinbase',
  ]);
});

it('sends a signal when it starts and when it gets hot, and not those already active', async () => {
  const warm = { primaryTape: tape(0, 10_000_000), spots: sampleSpots({ coinbase: 100_100 }) };
  const hot = { ...warm, spots: sampleSpots({ coinbase: 101_000 }) };
  const early = await service.connect();
  await early.ask(subscribe('flowSignals'));
  const { signals } = report(warm);
  expect(signals.length).toBeGreaterThan(0);
  await early.until(() => early.data('flowSignals').length === signals.length);
  const late = await service.connect();
  await late.ask(subscribe('flowSignals'));
  report(warm);
  const after = report(hot).signals;
  const changed = after.filter(
    ({ id, severity }) => signals.find((one) => one.id === id)?.severity !== severity,
  );
  expect(changed.length).toBeGreaterThan(0);
  await late.until(() => late.data('flowSignals').length === changed.length);
  expect(late.data('flowSignals').map(({ payload }) => payload)).toEqual(changed);
  expect(early.data('flowSignals').map(({ payload }) => payload)).toEqual([...signals, ...changed]);
});

it('sends the newest prints of both venues, newest first, at most fifty and twice a second', async () => {
  const print = (tid: number, fields: object = {}) => printOf(service.clock, tid, fields);
  service.bus.publish(printTopic, print(1, { ts: START_MS - 20 }));
  service.bus.publish(printTopic, print(2, { coin: 'ETH' }));
  const spot = spotTradeTopic('coinbase', 'BTC');
  service.bus.publish(spot, service.trade({ venue: 'coinbase', ts: START_MS - 10 }));
  const client = await service.connect();
  await client.ask(subscribe('flowTape'));
  await client.until(() => client.data('flowTape').length === 1);
  const shown = () => client.data('flowTape').at(-1)?.payload.prints as { venue: string; ts: number }[];
  expect(shown().map(({ venue, ts }) => [venue, ts])).toEqual([
    ['coinbase', START_MS - 10],
    ['hyperliquid', START_MS - 20],
  ]);
  for (let n = 0; n < 100; n += 1) {
    service.clock.advance(10);
    if (n % 2 === 0) service.bus.publish(printTopic, print(n));
    else service.bus.publish(spot, service.trade({ venue: 'coinbase' }));
  }
  service.clock.advance(500);
  await client.until(() => shown()[0]?.ts === START_MS + 1_000);
  expect(shown()).toHaveLength(50);
  expect(shown().map(({ ts }) => ts)).toEqual(
    Array.from({ length: 50 }, (_, n) => START_MS + 1_000 - 10 * n),
  );
  expect(client.data('flowTape').length).toBeLessThanOrEqual(5);
});

it('knows only the coins whose flows are followed, and of ETFs only two', async () => {
  const client = await service.connect();
  for (const channel of ['venueSpread', 'kimchi', 'flowSignals', 'flowTape']) {
    const refused = await client.ask(subscribe(channel, 'kPEPE'));
    expect(refused).toMatchObject({ type: 'error', code: 'unknown_symbol' });
    expect(refused.message).toContain('BTC, ETH, SOL');
  }
  expect(await client.ask(subscribe('etfProxy', 'SOL'))).toMatchObject({ code: 'unknown_symbol' });
  expect(await client.ask(subscribe('etfProxy', 'eth'))).toMatchObject({ type: 'ack', symbol: 'ETH' });
});
