import type { Timer } from '@crosstape/core';
import { VenueMarket } from '../market/venue-market.ts';
import { SlidingWindow } from '../sliding-window.ts';
import type { VenueSocket } from '../venue-socket.ts';
import type {
  Handshake,
  RunningVenue,
  VenueAnswer,
  VenueContext,
  VenueRequest,
  VenueSimulator,
} from './venue-simulator.ts';
import { type Question, Reply, type Session, type Wire, type WireRoute, type WireSocket } from './wire.ts';

const MINUTE_MS = 60_000;
/** After the whole program stood still, no more than so much is made up for. */
const CATCH_UP_MAX_MS = 10_000;
const TOO_MANY_SOCKETS: VenueAnswer = { status: 429, type: 'text/plain', body: 'Too Many Requests' };

/** Makes a simulated venue of its wire. */
export function simulateVenue(wire: Wire): VenueSimulator {
  return { id: wire.shape.id, shape: wire.shape, start: (context) => startWire(wire, context) };
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
  const clients = new Set<Client>();
  let skippedMs = 0;

  const violate = (limit: string): void => {
    violations[limit] = (violations[limit] ?? 0) + 1;
  };
  const skewOf = (part: 'rest' | 'ws'): number => faults.strike({ venue: id, part }, 'skew')?.skewMs ?? 0;
  const nowOf = (part: 'rest' | 'ws'): number => clock.now() + skewOf(part);

  const brokenLimit = (route: WireRoute, question: Question): string | undefined => {
    const costs = route.costs?.(question) ?? Object.fromEntries([...windows.keys()].map((name) => [name, 1]));
    return Object.entries(costs).find(([name, cost]) => windows.get(name)?.take(cost) === false)?.[0];
  };

  const answer = (request: VenueRequest): VenueAnswer => {
    for (const { route, match } of routes) {
      const params = match(request.path);
      if (!params || (route.method ?? 'GET') !== request.method) continue;
      const spot = { venue: id, part: 'rest', path: request.path } as const;
      const surgeTimes = faults.strike(spot, 'surge')?.times;
      const question: Question = { ...request, market, params, nowMs: nowOf('rest'), surgeTimes };
      const broken = brokenLimit(route, question);
      if (broken !== undefined) {
        violate(broken);
        return wire.overLimit(broken);
      }
      const told = route.answer(question);
      if (!(told instanceof Reply)) return told;
      const { status, headers } = told;
      return { status, type: 'application/json', body: JSON.stringify(told.body), headers };
    }
    return wire.notFound;
  };

  const socketAt = (path: string): WireSocket | undefined =>
    wire.sockets.find((rules) =>
      rules.path.endsWith('*') ? path.startsWith(rules.path.slice(0, -1)) : rules.path === path,
    );

  return {
    answer: async (request) => answer(request),
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
      const client = new Client({ rules, socket, market, handshake, clock, violate, skewOf });
      clients.add(client);
      client.onSkip = (ms) => (skippedMs += ms);
      socket.onClose(() => {
        clients.delete(client);
        client.stop();
      });
    },
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

interface ClientOptions {
  readonly rules: WireSocket;
  readonly socket: VenueSocket;
  readonly market: VenueMarket;
  readonly handshake: Handshake;
  readonly clock: VenueContext['clock'];
  readonly violate: (limit: string) => void;
  readonly skewOf: (part: 'ws') => number;
}

class Client implements Session {
  readonly rules: WireSocket;
  readonly market: VenueMarket;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Handshake['headers'];
  readonly topics = new Set<string>();
  readonly memory = new Map<string, unknown>();
  readonly violate: (limit: string) => void;
  readonly #options: ClientOptions;
  readonly #messages: SlidingWindow;
  readonly #timer: Timer;
  #pushedMs: number;
  #heardMs: number;
  onSkip: (ms: number) => void = () => undefined;

  constructor(options: ClientOptions) {
    const { rules, socket, handshake, clock } = options;
    this.#options = options;
    this.rules = rules;
    this.market = options.market;
    this.path = handshake.path;
    this.query = handshake.query;
    this.headers = handshake.headers;
    this.violate = options.violate;
    this.#messages = new SlidingWindow({ clock, spanMs: MINUTE_MS, max: rules.messagesPerMinute });
    this.#pushedMs = clock.now();
    this.#heardMs = clock.now();
    socket.onFrame((text) => this.#hear(text));
    this.#timer = clock.every(rules.everyMs, () => this.#push());
    rules.greet?.(this);
  }

  nowMs(): number {
    return this.#options.clock.now() + this.skewMs();
  }

  skewMs(): number {
    return this.#options.skewOf('ws');
  }

  send(frame: string): void {
    this.#options.socket.send(frame);
  }

  close(code: number, reason: string): void {
    this.#options.socket.close(code, reason);
  }

  stop(): void {
    this.#timer.cancel();
  }

  #hear(text: string): void {
    this.#heardMs = this.#options.clock.now();
    if (this.#messages.take(1)) return this.rules.hear(text, this);
    this.violate('messages');
    if (this.rules.tooMany) this.rules.tooMany(this);
    else this.close(1008, 'Too many messages');
  }

  #push(): void {
    const nowMs = this.#options.clock.now();
    const { silentMaxMs } = this.rules;
    if (silentMaxMs !== undefined && nowMs - this.#heardMs > silentMaxMs) {
      return this.close(1000, 'Inactive');
    }
    const fromMs = Math.max(this.#pushedMs, nowMs - CATCH_UP_MAX_MS);
    this.onSkip(fromMs - this.#pushedMs);
    this.#pushedMs = nowMs;
    this.rules.push(this, fromMs, nowMs);
  }
}

/** Matches `/a/:name` and gives what stood for the names. */
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
