/**
 * The trade feeds of all venues at a given rate: nothing lost, what a trade costs from the socket to the store against a
 * bare loop of `ws` and `JSON.parse` over the same frames, and the delay of the gateway's event loop against recording
 * the primary venue only. The venues run in another process and send frames that were encoded before.
 *
 *     npm run bench:ingest
 *     npm run bench:ingest -- --rounds 1 --seconds 10 --profile /tmp/profiles
 */
import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { venueOf } from '../packages/server/src/store/market-key.ts';
import type { BareSpent } from './ingest-baseline.ts';
import { countRecorded, missingTrades, recordedMarkets } from './ingest-markets.ts';
import type { Encoded, Phase, Played, SenderOrder } from './ingest-sender.ts';
import { MeasuredService, type Spent } from './ingest-service.ts';
import { answer, judge, median, start } from './part.ts';

/** By name: which coins have the most open interest may change when the clock of the venues is moved on. */
const COINS = ['BTC', 'XBT', 'ETH', 'SOL', 'XRP', 'DOGE', 'HYPE', 'BNB', 'SUI', 'ADA', 'LINK'];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    /** V8 compiles for most of the first minute. */
    seconds: { type: 'string', default: '90' },
    rate: { type: 'string', default: '5000' },
    burst: { type: 'string', default: '50000' },
    markets: { type: 'string', default: COINS.map((coin) => `*:*${coin}*`).join() },
    /** A folder for profiles of the threads of the service. */
    profile: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const BURST_S = 5;
const IDLE_MS = 10_000;
/** A machine five times slower than usual needs minutes to write a burst. */
const DURABLE_MS_MAX = 120_000;
const COST_RATIO_MAX = 3;
const DELAY_RATIO_MAX = 1.2;

type Counts = Readonly<Record<string, number>>;

/** The venues, and the service that records them. */
class Run {
  readonly #sender = start('ingest-sender.ts');
  #origin: { readonly url: string; readonly barePort: number } | undefined;
  #service: MeasuredService | undefined;
  #bare: ChildProcess | undefined;
  /** Of the service without any trade, for each ms. */
  #idleUs = { cpuUs: 0, ingestUs: 0 };

  async open(recordMarkets: string): Promise<void> {
    this.#origin = await answer(this.#sender);
    this.#service = await MeasuredService.start(this.#origin?.url ?? '', recordMarkets, values.profile);
    await this.#service.subscribed();
    await this.#service.spent();
    await wait(IDLE_MS);
    const { cpuUs, ingestUs } = await this.#service.spent();
    this.#idleUs = { cpuUs: cpuUs / IDLE_MS, ingestUs: ingestUs / IDLE_MS };
  }

  async #ask<Answer>(order: SenderOrder): Promise<Answer> {
    this.#sender.send(order);
    return answer<Answer>(this.#sender);
  }

  async encode(trades: number): Promise<Encoded> {
    const markets = await recordedMarkets((this.#service as MeasuredService).store);
    return this.#ask({ kind: 'encode', trades, markets });
  }

  /** Sends what was encoded to the service and waits until all of it is durable. */
  async play(
    { lot }: Encoded,
    phases: readonly Phase[],
  ): Promise<Spent & Played & { readonly durableMs: number }> {
    const service = this.#service as MeasuredService;
    await service.spent();
    const startMs = performance.now();
    const played = await this.#ask<Played>({ kind: 'play', to: 'service', lot, phases });
    await this.#durable();
    const tookMs = performance.now() - startMs;
    const { cpuUs, ingestUs, delayMs } = await service.spent();
    const { cpuUs: idleUs, ingestUs: idleIngestUs } = this.#idleUs;
    return {
      ...played,
      delayMs,
      cpuUs: cpuUs - idleUs * tookMs,
      ingestUs: ingestUs - idleIngestUs * tookMs,
      durableMs: tookMs - played.ms,
    };
  }

  /** The same frames, received by a bare loop. Returns its processor time in µs. */
  async playBare({ lot }: Encoded, phases: readonly Phase[], sockets: number): Promise<number> {
    const bare = await this.#openBare(sockets);
    const before = await askBare(bare);
    const { frames } = await this.#ask<Played>({ kind: 'play', to: 'bare', lot, phases });
    for (let cpuUs = 0; ; await wait(100)) {
      const spent = await askBare(bare);
      cpuUs += spent.cpuUs;
      if (spent.frames === before.frames + frames) return cpuUs;
    }
  }

  async #openBare(sockets: number): Promise<ChildProcess> {
    if (this.#bare) return this.#bare;
    this.#bare = start('ingest-baseline.ts', String(this.#origin?.barePort), String(sockets));
    await answer(this.#bare);
    return this.#bare;
  }

  /** Resolves when the store holds every trade that was sent; otherwise prints which markets differ. */
  async #durable(): Promise<void> {
    const { store } = this.#service as MeasuredService;
    const expected = await this.#ask<Counts>({ kind: 'sent' });
    for (const startMs = performance.now(); ; await wait(250)) {
      const recorded = await countRecorded(store, Object.keys(expected));
      const differing = Object.entries(expected).filter(
        ([market, trades]) => (recorded.get(market) ?? 0) !== trades,
      );
      if (differing.length === 0) return;
      if (performance.now() - startMs < DURABLE_MS_MAX) continue;
      for (const [market, trades] of differing)
        console.log(`${market}: sent ${trades}, recorded ${recorded.get(market) ?? 0}`);
      throw new Error(`${differing.length} markets are not recorded in full`);
    }
  }

  /** Trades by venue that were recorded, and how many of all the ledger reports as missing. */
  async counts(): Promise<{ readonly byVenue: Counts; readonly missing: number }> {
    const { store } = this.#service as MeasuredService;
    const expected = await this.#ask<Counts>({ kind: 'sent' });
    const byVenue: Record<string, number> = {};
    for (const [market, trades] of await countRecorded(store, Object.keys(expected)))
      byVenue[venueOf(market)] = (byVenue[venueOf(market)] ?? 0) + trades;
    const gaps = await missingTrades(store, Object.keys(expected));
    for (const { market, gap, trades } of gaps)
      console.log(`${market}: ${trades} missing from ${gap.from} to ${gap.to}: ${gap.state}, ${gap.reason}`);
    return { byVenue, missing: gaps.reduce((sum, { trades }) => sum + trades, 0) };
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    this.#bare?.disconnect();
    this.#sender.disconnect();
  }
}

function askBare(bare: ChildProcess): Promise<BareSpent> {
  bare.send('spent');
  return answer<BareSpent>(bare);
}

/**
 * Before anything is measured, both have compiled most of what they run. V8 compiles functions of the service for longer:
 * at 5,000 trades a second its helper threads cost 14 µs a trade in these 10 s, 8 in the next 15, and 5 after that.
 */
const warmUp: readonly Phase[] = [{ perS: Number(values.rate), seconds: 10 }];
const steady: readonly Phase[] = [{ perS: Number(values.rate), seconds }];
const burst: readonly Phase[] = [{ perS: Number(values.burst), seconds: BURST_S }];
const figures: Record<string, number[]> = {};
function note(name: string, value: number): void {
  (figures[name] ??= []).push(value);
}
const medianOf = (name: string): number => median(figures[name] ?? []);
const tradesOf = (phases: readonly Phase[]): number =>
  phases.reduce((sum, one) => sum + one.perS * one.seconds, 0);

const loads = Object.entries({ 'warm-up': warmUp, steady, burst });

/** Every load on every market: of the service, then of the bare loop. Returns the primary venue's share of the trades. */
async function measure(run: Run): Promise<number> {
  const all: [string, readonly Phase[], Encoded, Awaited<ReturnType<Run['play']>>][] = [];
  for (const [name, phases] of loads) {
    const encoded = await run.encode(tradesOf(phases));
    all.push([name, phases, encoded, await run.play(encoded, phases)]);
  }
  const last = all.at(-1)?.[2] as Encoded;
  for (const [name, phases, encoded, spent] of all) {
    const { trades, frames, bytes, cpuUs, ingestUs, delayMs, durableMs } = spent;
    const bareUs = await run.playBare(encoded, phases, last.sockets);
    note(`${name} ratio`, ingestUs / bareUs);
    note(`${name} all threads`, cpuUs / bareUs);
    note(`${name} delay`, delayMs.p99);
    console.log(
      `${name} (load ${loadavg()[0]?.toFixed(1)}): ${trades} trades in ${frames} frames of ${Math.round(bytes / frames)} bytes; ` +
        `${(ingestUs / trades).toFixed(2)} µs a trade, with the gateway ${(cpuUs / trades).toFixed(2)}, bare ${(bareUs / trades).toFixed(2)}; ` +
        `all durable ${Math.round(durableMs)} ms after the last was sent; ` +
        `loop delay p50 ${delayMs.p50.toFixed(1)}, p99 ${delayMs.p99.toFixed(1)}, max ${delayMs.max.toFixed(0)} ms`,
    );
  }
  return (last.byVenue.hyperliquid ?? 0) / last.trades;
}

for (let round = 1; round <= Number(values.rounds); round += 1) {
  const every = new Run();
  await every.open(values.markets);
  const share = await measure(every);
  const { byVenue, missing } = await every.counts();
  console.log(`round ${round}: recorded ${JSON.stringify(byVenue)}, missing in the ledger: ${missing}`);
  if (missing > 0) process.exitCode = 1;
  await every.close();
  const primary = new Run();
  await primary.open('primary');
  const alone = steady.map((phase) => ({ ...phase, perS: phase.perS * share }));
  await primary.play(await primary.encode(tradesOf(alone)), alone);
  const { delayMs } = await primary.play(await primary.encode(tradesOf(alone)), alone);
  note('primary delay', delayMs.p99);
  console.log(`primary only (load ${loadavg()[0]?.toFixed(1)}): loop delay p99 ${delayMs.p99.toFixed(1)} ms`);
  await primary.close();
}
judge(
  'CPU of a trade from socket to store, against ws and JSON.parse',
  medianOf('steady ratio'),
  COST_RATIO_MAX,
);
judge('the same in bursts', medianOf('burst ratio'), COST_RATIO_MAX);
console.log(
  `with the gateway's thread: ${medianOf('steady all threads').toFixed(2)} ×, in bursts ${medianOf('burst all threads').toFixed(2)} ×`,
);
judge(
  'loop delay p99 of the gateway, every market against the primary only',
  medianOf('steady delay') / medianOf('primary delay'),
  DELAY_RATIO_MAX,
);
