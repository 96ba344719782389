import type { Venue } from '@crosstape/venues';
import { type MarketOptions, SIMULATOR_SIZES, startSimulatorThread } from '@crosstape/simulator';
import { type Dispatcher, ProxyAgent, request } from 'undici';
import type { Log } from './platform/log.ts';
import { userAgent } from './platform/product.ts';
import type { Settings } from './settings/settings.ts';
import { simulatedTenant } from './store/data-folder.ts';

const PROBE_TIMEOUT_MS = 5_000;

export type SimulatedMarket = Required<Pick<MarketOptions, 'seed' | 'rate' | 'size'>>;

/** Where the venues are, decided once at start. Plain data, so that it can be sent to a thread. */
export interface Upstream {
  readonly mode: 'live' | 'sim';
  /** Part of the data folder that belongs to it. */
  readonly tenant: string;
  /** What the simulated market is a function of. */
  readonly market?: SimulatedMarket;
  /** URL of the simulator. */
  readonly simulator?: string;
}

export interface ChosenUpstream extends Upstream {
  readonly stop: () => Promise<void>;
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
}

export async function chooseUpstream(options: UpstreamOptions): Promise<ChosenUpstream> {
  const { settings, isProduction, log } = options;
  if (settings.upstream === 'live') return live;
  if (settings.upstream === 'sim') return simulated(settings);
  if (isProduction) return live;
  const failure = await probe(options);
  if (failure === undefined) return live;
  log.warn(
    { reason: failure },
    'NO LIVE DATA: the primary venue does not answer, so everything served is SIMULATED; use --upstream live to insist',
  );
  return simulated(settings);
}

const live: ChosenUpstream = { mode: 'live', tenant: 'live', stop: async () => undefined };

async function simulated({ simUrl, seed, simSize: size }: Settings): Promise<ChosenUpstream> {
  if (simUrl !== undefined) return at(simUrl, await marketOf(simUrl), async () => undefined);
  const thread = await startSimulatorThread({ port: 0, seed, size });
  return at(thread.url, { seed, rate: 1, size }, () => thread.stop());
}

function at(simulator: string, market: SimulatedMarket, stop: () => Promise<void>): ChosenUpstream {
  return { mode: 'sim', tenant: simulatedTenant(market), market, simulator, stop };
}

/** The markets of different seeds and sizes never share files, so a simulator elsewhere is asked for its own. */
async function marketOf(url: string): Promise<SimulatedMarket> {
  const path = `${url}/sim`;
  try {
    const { body } = await request(path, { headersTimeout: PROBE_TIMEOUT_MS, bodyTimeout: PROBE_TIMEOUT_MS });
    const told = (await body.json()) as { seed?: unknown; rate?: unknown; size?: unknown };
    const { seed, rate } = told;
    const size = SIMULATOR_SIZES.find((one) => one === told.size);
    if (typeof seed === 'number' && typeof rate === 'number' && size) return { seed, rate, size };
  } catch (error) {
    throw new Error(`no simulator answers at ${path}: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`what answers at ${path} is not a simulator`);
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
