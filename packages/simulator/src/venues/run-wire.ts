import { MINUTE_MS } from '@crosstape/core';
import { VenueMarket } from '../market/venue-market.ts';
import { SlidingWindow } from '../sliding-window.ts';
import type { WireSides } from './order-book.ts';
import { TradeLedgers } from './trade-ledger.ts';
import { TradePages } from './trade-pages.ts';
import type {
  RunningVenue,
  VenueAnswer,
  VenueContext,
  VenueRequest,
  VenueSimulator,
} from './venue-simulator.ts';
import {
  type Following,
  type Question,
  Reply,
  type Session,
  type Wire,
  type WireRoute,
  type WireSocket,
} from './wire.ts';
import type { TradeSubscription } from '../trade-frames.ts';
import { WireClient } from './wire-client.ts';

const TOO_MANY_SOCKETS: VenueAnswer = { status: 429, type: 'text/plain', body: 'Too Many Requests' };

/** Makes a simulated venue of its wire. */
export function simulateVenue(wire: Wire): VenueSimulator {
  const { shape } = wire;
  return {
    id: shape.id,
    shape,
    start: (context) => startWire(wire, context),
    follow: (world, subscription) => followOnce(wire, new VenueMarket(world, shape), subscription),
  };
}

/** The frames of a subscription, without a client. */
function followOnce(
  { sockets }: Wire,
  market: VenueMarket,
  { path, headers, message }: TradeSubscription,
): Following | undefined {
  const rules = socketFor(sockets, path);
  let followed: Following | undefined;
  const ignore = (): void => undefined;
  const session: Session = {
    market,
    path,
    query: new URLSearchParams(),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    topics: new Set(),
    memory: new Map(),
    follow: (_topic, following) => (followed = following),
    followBook: ignore,
    leave: ignore,
    nowMs: () => 0,
    skewMs: () => 0,
    send: ignore,
    close: ignore,
    violate: ignore,
  };
  rules?.greet?.(session);
  rules?.receive(message, session);
  return followed;
}

function socketFor(sockets: readonly WireSocket[], path: string): WireSocket | undefined {
  return sockets.find((rules) =>
    rules.path.endsWith('*') ? path.startsWith(rules.path.slice(0, -1)) : rules.path === path,
  );
}

function startWire(wire: Wire, { market: world, clock, faults, contracts }: VenueContext): RunningVenue {
  const { id } = wire.shape;
  const market = new VenueMarket(world, wire.shape, contracts?.[id]);
  const routes = wire.routes.map((route) => ({ route, match: pathMatcher(route.path) }));
  const windows = new Map(
    wire.limits.map(({ name, spanMs, max }) => [name, new SlidingWindow({ clock, spanMs, max })]),
  );
  const newSockets = new Map(
    wire.sockets.map((rules) => [
      rules,
      new SlidingWindow({ clock, spanMs: MINUTE_MS, max: rules.socketsPerMinute }),
    ]),
  );
  const violations: Record<string, number> = {};
  const clients = new Set<WireClient>();
  const ledgers = new TradeLedgers();
  const books = new Map<string, WireSides>();
  let skippedMs = 0;

  const violate = (limit: string): void => {
    violations[limit] = (violations[limit] ?? 0) + 1;
  };
  const skewOf = (part: 'rest' | 'ws'): number => faults.strike({ venue: id, part }, 'skew')?.skewMs ?? 0;

  const brokenLimit = (route: WireRoute, question: Question): string | undefined => {
    const costs = route.costs?.(question) ?? Object.fromEntries([...windows.keys()].map((name) => [name, 1]));
    return Object.entries(costs).find(([name, cost]) => windows.get(name)?.take(cost) === false)?.[0];
  };

  const answer = async (request: VenueRequest): Promise<VenueAnswer> => {
    for (const { route, match } of routes) {
      const params = match(request.path);
      if (!params || (route.method ?? 'GET') !== request.method) continue;
      const spot = { venue: id, part: 'rest', path: request.path } as const;
      const surgeTimes = faults.strike(spot, 'surge')?.times;
      const skewMs = skewOf('rest');
      const nowMs = clock.now();
      const trades = new TradePages({ ledgers, faults, venue: id, nowMs, skewMs });
      const question: Question = { ...request, market, params, nowMs: nowMs + skewMs, surgeTimes, trades };
      const broken = brokenLimit(route, question);
      if (broken !== undefined) {
        violate(broken);
        return wire.overLimit(broken);
      }
      const reported = await route.answer(question);
      if (!(reported instanceof Reply)) return reported;
      const { status, headers } = reported;
      const body = JSON.stringify(reported.body);
      return { status, type: 'application/json', body, headers, sent: () => trades.markSent() };
    }
    return wire.notFound;
  };

  const socketAt = (path: string): WireSocket | undefined => socketFor(wire.sockets, path);

  return {
    answer,
    overLimit: wire.overLimit(wire.limits[0]?.name ?? ''),
    refuse(path) {
      const rules = socketAt(path);
      if (!rules) return wire.notFound;
      const open = [...clients].filter((client) => client.rules === rules).length;
      if (open >= rules.socketsMax) violate('sockets');
      else if (newSockets.get(rules)?.take(1)) return undefined;
      else violate('newSockets');
      return TOO_MANY_SOCKETS;
    },
    accept(socket, handshake) {
      const rules = socketAt(handshake.path);
      if (!rules) return socket.terminate();
      const client = new WireClient({
        rules,
        socket,
        market,
        handshake,
        clock,
        faults,
        ledgers,
        violate,
        skewMs: () => skewOf('ws'),
        onBook: (symbol, book) => books.set(symbol, book),
      });
      clients.add(client);
      client.onSkip = (ms) => (skippedMs += ms);
      socket.onClose(() => {
        clients.delete(client);
        client.stop();
      });
    },
    ledgers,
    books,
    burst() {
      throw new Error(`${id} has no tape to burst: only the primary venue has`);
    },
    get violations() {
      return { ...violations };
    },
    get connections() {
      return clients.size;
    },
    get subscriptions() {
      let count = 0;
      for (const client of clients) count += client.topics.size;
      return count;
    },
    get skippedMs() {
      return skippedMs;
    },
    stop() {
      for (const client of clients) client.stop();
    },
  };
}

/** Matches `/a/:name` and returns the values of the names. */
function pathMatcher(pattern: string): (path: string) => Record<string, string> | undefined {
  const names: string[] = [];
  const source = pattern
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(part.slice(1));
      return '([^/]+)';
    })
    .join('/');
  const expression = new RegExp(`^${source}$`);
  return (path) => {
    const found = expression.exec(path);
    if (!found) return undefined;
    return Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]));
  };
}
