import { BLOCK_MS } from '../../market/blocks.ts';
import { TradeRows } from '../../market/trade-rows.ts';
import { mangleTrades } from '../../mangle.ts';
import type {
  RunningVenue,
  VenueAnswer,
  VenueContext,
  VenueRequest,
  VenueSimulator,
} from '../venue-simulator.ts';
import { Connection, type PostAnswer } from './connection.ts';
import { Feed } from './feed.ts';
import { type InfoSource, readQuestion, Unreadable } from './info.ts';
import { Limits, TOO_HEAVY, TOO_MANY_CONNECTIONS } from './limits.ts';
import { TradePrinter } from './print.ts';
import { listedCoin } from './universe.ts';

const VENUE = 'hyperliquid';
/** How often connections are looked at for silence. */
const SILENCE_CHECK_MS = 1000;

const UNREADABLE: VenueAnswer = {
  status: 422,
  type: 'text/plain',
  body: 'Failed to deserialize the JSON body into the target type',
};
const NOT_FOUND: VenueAnswer = { status: 404, type: 'text/plain', body: '' };
const WRONG_METHOD: VenueAnswer = { status: 405, type: 'text/plain', body: '' };

/** Hyperliquid's public wire: `POST /info` and the socket at `/ws`. */
export const hyperliquid: VenueSimulator = { id: VENUE, start };

function start(context: VenueContext): RunningVenue {
  const { market, bars, clock, faults } = context;
  const limits = new Limits(clock);
  const rows = new TradeRows(market);
  const printer = new TradePrinter(market.seed);
  const feed = new Feed({ market, bars, rows, printer, clock, faults });
  const connections = new Set<Connection>();

  const source = (): InfoSource => ({
    market,
    bars,
    rows,
    printer,
    nowMs: clock.now(),
    skewMs: faults.strike({ venue: VENUE, part: 'rest' }, 'skew')?.skewMs ?? 0,
    mangled(trades) {
      const reported = mangleTrades(trades, { faults, venue: VENUE, part: 'rest' });
      return faults.strike({ venue: VENUE, part: 'rest' }, 'reorder') ? reported.toReversed() : reported;
    },
  });

  /** `undefined` when the weight is used up; throws `Unreadable`. */
  const ask = async (value: unknown): Promise<{ readonly data: unknown } | undefined> => {
    const { type, question } = readQuestion(value);
    if (!limits.takeWeight(type.weight)) return undefined;
    const data: unknown = await type.answer(question, source());
    if (type.rowsPerWeight !== undefined && Array.isArray(data)) {
      limits.chargeRows(Math.floor(data.length / type.rowsPerWeight));
    }
    return { data };
  };

  const post = async (question: unknown): Promise<PostAnswer> => {
    try {
      return (await ask(question)) ?? { error: '429 Too Many Requests' };
    } catch (error) {
      if (error instanceof Unreadable) return { error: UNREADABLE.body };
      throw error;
    }
  };

  const blocks = clock.every(BLOCK_MS, () => feed.tick());
  const silence = clock.every(SILENCE_CHECK_MS, () => {
    for (const connection of connections) connection.closeIfSilent();
  });

  return {
    async answer(request: VenueRequest): Promise<VenueAnswer> {
      if (request.path !== '/info') return NOT_FOUND;
      if (request.method !== 'POST') return WRONG_METHOD;
      try {
        const answer = await ask(parseJson(request.body));
        if (!answer) return TOO_HEAVY;
        return { status: 200, type: 'application/json', body: JSON.stringify(answer.data) };
      } catch (error) {
        if (error instanceof Unreadable) return UNREADABLE;
        throw error;
      }
    },
    overLimit: TOO_HEAVY,
    refuse(path) {
      if (path !== '/ws') return NOT_FOUND;
      return limits.openSocket() ? undefined : TOO_MANY_CONNECTIONS;
    },
    accept(socket) {
      const connection = new Connection({ socket, market, clock, feed, limits, answer: post });
      connections.add(connection);
      socket.onClose(() => connections.delete(connection));
    },
    burst(name, trades) {
      const coin = listedCoin(market, name);
      if (!coin) throw new Error(`no such coin on ${VENUE}: ${name}`);
      rows.extra.add(coin, trades, clock.now());
    },
    get violations() {
      return { ...limits.violations };
    },
    get connections() {
      return limits.sockets;
    },
    get subscriptions() {
      return limits.subscriptions;
    },
    get skippedMs() {
      return feed.skippedMs;
    },
    stop() {
      blocks.cancel();
      silence.cancel();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable();
  }
}
