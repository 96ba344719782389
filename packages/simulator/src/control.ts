import { readFault } from './fault.ts';
import type { FaultBoard } from './fault-board.ts';
import { isFields, isWhole, parseJson, reasonOf } from './json.ts';
import { reportTrades } from './report-trades.ts';
import type { RunningVenue } from './venues/venue-simulator.ts';

const BURST_TRADES_MAX = 50_000;

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface ControlOptions {
  readonly faults: FaultBoard;
  readonly venues: ReadonlyMap<string, RunningVenue>;
  readonly nowMs: number;
  /** The answer of `GET /sim` for the simulator as a whole. */
  readonly describe: () => Readonly<Record<string, unknown>>;
}

/** The simulator's control API: its state, active faults, extra bursts of trades, and the trades that were sent. */
export function control(request: ControlRequest, options: ControlOptions): ControlAnswer {
  const { method, path } = request;
  const handlers = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!handlers)
    return {
      status: 404,
      body: { error: `no such path: ${path}; there are ${Object.keys(ROUTES).join(', ')}` },
    };
  const handle = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (!handle) {
    return {
      status: 405,
      body: { error: `${path} takes ${Object.keys(handlers).join(', ')}, not ${method}` },
    };
  }
  try {
    return handle(request, options);
  } catch (error) {
    return { status: 400, body: { error: reasonOf(error) } };
  }
}

type Handler = (request: ControlRequest, options: ControlOptions) => ControlAnswer;

const ROUTES: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/sim': { GET: (_, options) => ({ status: 200, body: status(options) }) },
  '/sim/faults': {
    GET: (_, { faults }) => ({ status: 200, body: faults.list() }),
    POST: ({ body }, { faults, venues }) => ({
      status: 201,
      body: faults.add(readFault(parseJson(body, 'the body'), [...venues.keys()])),
    }),
    DELETE: ({ query }, options) => clear(query, options),
  },
  '/sim/trades': { GET: ({ query }, options) => ({ status: 200, body: reportTrades(query, options) }) },
  '/sim/burst': { POST: ({ body }, { venues }) => burst(parseJson(body, 'the body'), venues) },
};

function status({ faults, venues, describe }: ControlOptions): unknown {
  return {
    ...describe(),
    venues: Object.fromEntries(
      [...venues].map(([id, { connections, subscriptions, violations, skippedMs }]) => [
        id,
        { connections, subscriptions, violations, skippedMs },
      ]),
    ),
    faults: faults.list(),
  };
}

function clear(query: URLSearchParams, { faults, venues }: ControlOptions): ControlAnswer {
  for (const name of query.keys()) {
    if (name !== 'id' && name !== 'venue')
      throw new Error(`there is no parameter ${name}: faults go by id or venue`);
  }
  const id = query.get('id');
  const venue = query.get('venue');
  if (id !== null && !/^\d{1,15}$/.test(id)) throw new Error('id is a whole number');
  if (venue !== null && !venues.has(venue))
    throw new Error(`venue is one of ${[...venues.keys()].join(', ')}`);
  const cleared = faults.clear({
    ...(id === null ? {} : { id: Number(id) }),
    ...(venue === null ? {} : { venue }),
  });
  if (id !== null && cleared === 0) return { status: 404, body: { error: `no fault with id ${id} is on` } };
  return { status: 200, body: { cleared } };
}

function burst(value: unknown, venues: ReadonlyMap<string, RunningVenue>): ControlAnswer {
  if (!isFields(value)) throw new Error('a burst is an object');
  const { venue, coin, trades, ...rest } = value;
  const [stray] = Object.keys(rest);
  if (stray !== undefined) throw new Error(`a burst has no ${stray}`);
  const running = typeof venue === 'string' ? venues.get(venue) : undefined;
  if (!running) throw new Error(`venue is one of ${[...venues.keys()].join(', ')}`);
  if (typeof coin !== 'string') throw new Error('coin is the name of a contract');
  if (!isWhole(trades, 1, BURST_TRADES_MAX)) {
    throw new Error(`trades is a whole number from 1 to ${BURST_TRADES_MAX}`);
  }
  running.burst(coin, trades);
  return { status: 202, body: { venue, coin, trades } };
}
