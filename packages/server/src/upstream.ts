import type { Clock } from '@crosstape/core';
import type { Venue } from '@crosstape/venues';
import { type MarketOptions, SIMULATOR_SIZES, startSimulatorThread } from '@crosstape/simulator';
import { type Dispatcher, ProxyAgent, request } from 'undici';
import type { Log } from './platform/log.ts';
import { userAgent } from './platform/product.ts';
import { ScaledClock } from './platform/scaled-clock.ts';
import { logIfSlow } from './platform/slow-step.ts';
import { systemClock } from './platform/system-clock.ts';
import type { UpstreamMode } from './platform/upstream-mode.ts';
import type { Settings } from './settings/settings.ts';
import { simulatedDataset } from './store/data-folder.ts';

const PROBE_TIMEOUT_MS = 5_000;
/** A simulator that shares a busy machine with the service can take many seconds to answer. */
const SIMULATOR_MS_MAX = 60_000;

export type SimulatedMarket = Required<Pick<MarketOptions, 'seed' | 'rate' | 'size'>> &
  Pick<MarketOptions, 'coins'>;

/** The venues' addresses, decided once at start. Plain data, so that it can be sent to a thread. */
export interface Upstream {
  readonly mode: UpstreamMode;
  /** Part of the data folder that belongs to it. */
  readonly tenant: string;
  /** What the simulated market is a function of. */
  readonly market?: SimulatedMarket;
  /** URL of the simulator or of the replay. */
  readonly simulator?: string;
  /** Ids of the sources that a simulator elsewhere has: no others are read. */
  readonly sources?: readonly string[];
  /** Of a replay: the candles and samples that it has, as `publisher source symbol`. */
  readonly captured?: readonly string[];
}

export interface ChosenUpstream extends Upstream {
  /** Of a replay: the time of the capture, by which everything runs. It stands still until `begin`. */
  readonly replay?: { readonly clock: Clock; readonly begin: () => Promise<void> };
  readonly stop: () => Promise<void>;
}

/** The settings of a service that reads what there is. */
export function settingsFor({ sources }: Pick<Upstream, 'sources'>, settings: Settings): Settings {
  return sources && !settings.sources ? { ...settings, sources } : settings;
}

/** The addresses of a venue. */
export function originsOf(
  { simulator }: Upstream,
  settings: Settings,
  { id }: { readonly id: string },
): { readonly rest: string; readonly ws: string } {
  if (simulator === undefined) return settings.origins[id] as { rest: string; ws: string };
  return { rest: `${simulator}/${id}`, ws: `${simulator.replace(/^http/, 'ws')}/${id}` };
}

export interface UpstreamOptions {
  readonly settings: Settings;
  readonly primary: Venue;
  readonly isProduction: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  /** Ends the wait for a simulator. */
  readonly signal?: AbortSignal | undefined;
}

export async function chooseUpstream(options: UpstreamOptions): Promise<ChosenUpstream> {
  const { settings, isProduction, log } = options;
  if (settings.upstream === 'live') return live;
  if (settings.upstream === 'sim') return simulated(options);
  if (isProduction) return live;
  const failure = await probe(options);
  if (failure === undefined) return live;
  log.warn(
    { reason: failure },
    'NO LIVE DATA: the primary venue is unreachable, so all data is SIMULATED. Use --upstream live to require live data',
  );
  return simulated(options);
}

const live: ChosenUpstream = { mode: 'live', tenant: 'live', stop: async () => undefined };

async function simulated({
  settings,
  log,
  clock = systemClock,
  signal,
}: UpstreamOptions): Promise<ChosenUpstream> {
  const { simUrl, seed, simSize: size } = settings;
  if (simUrl === undefined) {
    const thread = await startSimulatorThread({ port: 0, seed, size });
    return at(thread.url, { seed, rate: 1, size }, () => thread.stop());
  }
  const asked = describe(`${simUrl}/sim`, { clock, signal });
  const { market, replay, sources } = await logIfSlow(`the simulator at ${simUrl}`, asked, { log, clock });
  if (market) return { ...at(simUrl, market, async () => undefined), ...(sources && { sources }) };
  if (replay) return replayed(simUrl, replay, clock);
  throw new Error(`what answers at ${simUrl}/sim is neither a simulator nor a replay`);
}

function at(simulator: string, market: SimulatedMarket, stop: () => Promise<void>): ChosenUpstream {
  return { mode: 'sim', tenant: simulatedDataset(market), market, simulator, stop };
}

/** The service runs on the time of the capture: its payloads are as old as they were, and polls as frequent. */
function replayed(simulator: string, { id, nowMs, speed, captured }: Replay, real: Clock): ChosenUpstream {
  const clock = new ScaledClock(real, { startMs: nowMs, speed });
  const begin = async (): Promise<void> => {
    const { replay } = await describe(`${simulator}/sim/start`, { method: 'POST', clock: real });
    if (!replay) throw new Error(`the replay at ${simulator} cannot be started`);
    clock.start(replay.nowMs);
  };
  const stop = async (): Promise<void> => undefined;
  return { mode: 'replay', tenant: `replay/${id}`, simulator, captured, replay: { clock, begin }, stop };
}

interface Replay {
  /** Different for each replay: what is recorded of them shares no files. */
  readonly id: string;
  readonly nowMs: number;
  readonly speed: number;
  readonly captured: readonly string[];
}

/** The markets of different seeds and sizes never share files, so an external simulator reports its own. */
async function describe(
  url: string,
  {
    method = 'GET',
    clock,
    signal,
  }: { readonly method?: 'GET' | 'POST'; readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<{
  readonly market?: SimulatedMarket;
  readonly replay?: Replay;
  readonly sources?: readonly string[];
}> {
  const limit = new AbortController();
  const late = clock.after(SIMULATOR_MS_MAX, () =>
    limit.abort(new Error(`no answer within ${SIMULATOR_MS_MAX / 1_000} s`)),
  );
  try {
    const { body } = await request(url, {
      method,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: AbortSignal.any([limit.signal, ...(signal ? [signal] : [])]),
    });
    const described = (await body.json()) as Partial<SimulatedMarket> & {
      readonly replay?: Partial<Replay>;
      readonly venues?: object;
    };
    const { seed, rate, replay, venues } = described;
    const coins = Array.isArray(described.coins) ? described.coins.map(String) : undefined;
    const size = SIMULATOR_SIZES.find((one) => one === described.size);
    if (typeof seed === 'number' && typeof rate === 'number' && size)
      return { market: { seed, rate, size, coins }, ...(venues && { sources: Object.keys(venues) }) };
    const { id, nowMs, speed, captured = [] } = replay ?? {};
    const isReplay = typeof nowMs === 'number' && typeof speed === 'number' && speed > 0;
    // It becomes the name of a folder.
    return isReplay && /^[\w-]{1,64}$/.test(id ?? '')
      ? { replay: { id: id as string, nowMs, speed, captured } }
      : {};
  } catch (error) {
    throw new Error(`no simulator answers at ${url}: ${(error as Error).message}`, { cause: error });
  } finally {
    late.cancel();
  }
}

/** Why the primary venue cannot be used; `undefined` when it can. */
async function probe({ settings, primary }: UpstreamOptions): Promise<string | undefined> {
  const resource = primary.connector?.resources[0];
  const origin = settings.origins[primary.id];
  if (!resource || !origin) return `${primary.name} has no connector`;
  const dispatcher: Dispatcher | undefined =
    settings.proxy === undefined ? undefined : new ProxyAgent(settings.proxy);
  try {
    const { statusCode, body } = await request(`${origin.rest}${resource.request.path}`, {
      method: resource.request.method,
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify(resource.request.body),
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      ...(dispatcher ? { dispatcher } : {}),
    });
    await body.dump();
    return statusCode === 200 ? undefined : `${primary.name} answers with HTTP ${statusCode}`;
  } catch (error) {
    return `${primary.name}: ${(error as Error).message}`;
  } finally {
    await dispatcher?.close();
  }
}
