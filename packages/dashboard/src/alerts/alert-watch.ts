import { yearlyPct } from '../format/funding-rates.ts';
import { plain } from '../format/numbers.ts';
import { perpVenues, venueName } from '../format/venues.ts';
import type {
  ChannelTopic,
  ItemOf,
  RestTopic,
  ServiceWord,
  StreamTopic,
  Topic,
  Update,
} from '../live/topic.ts';
import { isAggregate } from '../format/aggregates.ts';
import { type AlertRule, ANY_SOURCE, isOfMarket, kindAbout, severityOf, textOf } from './alert-rule.ts';
import { IndicatorWatch } from './indicator-watch.ts';

/** The measured value, and its explanation. */
export interface Measured {
  readonly value: number;
  readonly text: string;
  /** Measured over less than the window of the rule: does not show that a condition has ended. */
  readonly isPartial?: boolean;
}

/** Measures the subject of one rule. */
export interface AlertWatch {
  readonly topics: readonly Topic[];
  /** Single events fire each; a state fires when it becomes true. */
  readonly isEvent?: true;
  /** Why it cannot be measured, although its topics deliver. */
  readonly problem?: string | undefined;
  take(topic: number, update: Update): void;
  /** `undefined` while unknown. An event is returned once. */
  measure(nowMs: number): Measured | undefined;
}

const MINUTE_MS = 60_000;
const POLL_MS = 60_000;
const HISTORY_MS = 600_000;
const HEALTH_MS = 5_000;
const CANDLE_MS = 10_000;
/** Samples and buckets kept of one rule. */
const KEPT_MAX = 20_000;
const BUCKET_MS = 1_000;
const BPS = 10_000;

type ItemsOf<T extends Topic> = readonly ItemOf<T>[];

function channelTopic<Name extends ChannelTopic['channel']>(channel: Name, symbol: string): ChannelTopic {
  return { from: 'channel', channel, symbol, params: {} };
}

/** The newest item, as a value. */
function newest<Item>(topic: Topic, valueOf: (item: Item) => Measured | undefined): AlertWatch {
  let last: Measured | undefined;
  return {
    topics: [topic],
    take(_, { items }) {
      const item = items.at(-1) as Item | undefined;
      if (item !== undefined) last = valueOf(item) ?? last;
    },
    measure: () => last,
  };
}

/** Values with times, summed over a window. */
class WindowSum {
  readonly #windowMs: number;
  #buckets: { readonly ts: number; sum: number; count: number }[] = [];

  constructor(minutes: number) {
    this.#windowMs = minutes * MINUTE_MS;
  }

  clear(): void {
    this.#buckets = [];
  }

  add(ts: number, value: number): void {
    const start = Math.floor(ts / BUCKET_MS) * BUCKET_MS;
    const last = this.#buckets.at(-1);
    if (last && last.ts >= start) {
      last.sum += value;
      last.count += 1;
    } else this.#buckets.push({ ts: start, sum: value, count: 1 });
    if (this.#buckets.length > KEPT_MAX) this.#buckets = this.#buckets.slice(-KEPT_MAX / 2);
  }

  at(nowMs: number): { readonly sum: number; readonly count: number } {
    this.#buckets = this.#buckets.filter(({ ts }) => ts > nowMs - this.#windowMs);
    return this.#buckets.reduce((a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }), {
      sum: 0,
      count: 0,
    });
  }
}

/** The sum of events within a window. */
function summed<Item>(
  rule: AlertRule,
  topic: Topic,
  noun: string,
  valueOf: (item: Item) => readonly [ts: number, value: number],
): AlertWatch {
  const sums = new WindowSum(rule.minutes);
  /** From when on everything is summed. */
  let sinceMs: number | undefined;
  return {
    topics: [topic],
    take(_, { items, isWhole, state, atMs }) {
      const all = (items as readonly Item[]).map(valueOf);
      if (isWhole) {
        sums.clear();
        sinceMs = undefined;
      }
      if (state === 'up') sinceMs ??= Math.min(atMs, all[0]?.[0] ?? atMs);
      for (const one of all) sums.add(...one);
    },
    measure(nowMs) {
      if (sinceMs === undefined) return undefined;
      const { sum, count } = sums.at(nowMs);
      return {
        value: sum,
        text: `${kindAbout[rule.kind].text(sum)} of ${plain(count, 0)} ${noun} in ${rule.minutes} min`,
        isPartial: nowMs - sinceMs < rule.minutes * MINUTE_MS,
      };
    },
  };
}

/** Events, each returned once; those before the rule was created are skipped. */
function events<Item>(topic: Topic, measuredOf: (item: Item) => Measured | undefined): AlertWatch {
  let largest: Measured | undefined;
  return {
    topics: [topic],
    isEvent: true,
    take(_, { items, isWhole }) {
      if (isWhole) return;
      for (const item of items as readonly Item[]) {
        const one = measuredOf(item);
        if (one && one.value > (largest?.value ?? -Infinity)) largest = one;
      }
    },
    measure() {
      const one = largest;
      largest = undefined;
      return one;
    },
  };
}

function openInterest({ subject, minutes }: AlertRule): AlertWatch {
  const history: RestTopic<'/perps/oi/history'> = {
    from: 'rest',
    path: '/perps/oi/history',
    query: { coin: subject },
    everyMs: HISTORY_MS,
  };
  let past: readonly { readonly ts: number; readonly value: number }[] = [];
  let live: { readonly ts: number; readonly value: number }[] = [];
  return {
    topics: [channelTopic('openInterest', subject), history],
    take(topic, { items }) {
      if (topic === 1) {
        const [answer] = items as ItemsOf<typeof history>;
        if (answer) past = answer.data.points.map(({ t, v }) => ({ ts: t, value: v }));
        return;
      }
      for (const { ts, oiContracts } of items as ItemsOf<ChannelTopic<'openInterest'>>)
        live.push({ ts, value: oiContracts });
      if (live.length > KEPT_MAX) live = live.slice(-KEPT_MAX / 2);
    },
    measure() {
      const last = live.at(-1);
      if (!last) return undefined;
      const isBefore = ({ ts }: { readonly ts: number }): boolean => ts <= last.ts - minutes * MINUTE_MS;
      const before = live.findLast(isBefore) ?? past.findLast(isBefore);
      if (!before || before.value === 0) return undefined;
      const value = (last.value / before.value - 1) * 100;
      const ago = Math.round((last.ts - before.ts) / MINUTE_MS);
      return { value, text: `${kindAbout.oi.text(value)} against ${ago} min before` };
    },
  };
}

function fundingSpread({ subject }: AlertRule): AlertWatch {
  const topic: RestTopic<'/perps/funding'> = {
    from: 'rest',
    path: '/perps/funding',
    query: { coins: [subject], venues: [...perpVenues] },
    everyMs: POLL_MS,
  };
  return newest<ItemOf<typeof topic>>(topic, ({ data }) => {
    const rates = data
      .map((row) => ({ venue: row.venue, pct: yearlyPct(row) }))
      .toSorted((a, b) => a.pct - b.pct);
    const [low, high] = [rates[0], rates.at(-1)];
    if (!low || !high || low === high) return undefined;
    const value = high.pct - low.pct;
    const { text } = kindAbout.fundingSpread;
    return {
      value,
      text: `${text(value)}: ${venueName(high.venue)} ${text(high.pct)}, ${venueName(low.venue)} ${text(low.pct)}`,
    };
  });
}

/** Funding of another venue than the primary one; of any: the highest, or the lowest. */
function fundingOf({ subject, side }: AlertRule, venue: string): AlertWatch {
  const venues = perpVenues.filter((one) => one === venue || venue === 'any');
  const topic: RestTopic<'/perps/funding'> = {
    from: 'rest',
    path: '/perps/funding',
    query: { coins: [subject], venues },
    everyMs: POLL_MS,
  };
  return newest<ItemOf<typeof topic>>(topic, ({ data }) => {
    const rates = data.map((row) => ({ venue: row.venue, value: yearlyPct(row) }));
    const [worst] = rates.toSorted((a, b) => (side === 'above' ? b.value - a.value : a.value - b.value));
    if (!worst) return undefined;
    return {
      value: worst.value,
      text: `${kindAbout.funding.text(worst.value)} on ${venueName(worst.venue)}`,
    };
  });
}

function feed({ subject }: AlertRule): AlertWatch {
  const name = subject.toLowerCase();
  return newest<ServiceWord>({ from: 'service', path: '/healthz', everyMs: HEALTH_MS }, ({ health }) => {
    const failing = (health.failing ?? []).filter(
      ({ source, name: title }) => name === ANY_SOURCE || source === name || title.toLowerCase() === name,
    );
    const [worst] = failing.toSorted((a, b) => b.forMs - a.forMs);
    if (!worst) return { value: 0, text: 'up' };
    const seconds = Math.round(worst.forMs / 1_000);
    return { value: seconds, text: `${worst.name} ${worst.status} for ${seconds} s: ${worst.error}` };
  });
}

/** The last price of a coin on the primary venue; until there is a trade, its mark price, which is set twice a minute. */
function coinPrice({ subject }: AlertRule): AlertWatch {
  let mark: number | undefined;
  let last: number | undefined;
  return {
    topics: [channelTopic('trades', subject), channelTopic('markPrice', subject)],
    take(topic, { items }) {
      const item = items.at(-1);
      if (item === undefined) return;
      if (topic === 0) last = (item as ItemOf<ChannelTopic<'trades'>>).price;
      else mark = (item as ItemOf<ChannelTopic<'markPrice'>>).mark;
    },
    measure() {
      const value = last ?? mark;
      return value === undefined ? undefined : { value, text: kindAbout.price.text(value) };
    },
  };
}

/** The last price of a market; of several together that of their newest candle. */
function marketPrice(rule: AlertRule): AlertWatch {
  const market = rule.subject;
  const measured = (value: number): Measured => ({ value, text: textOf(rule)(value) });
  if (!isAggregate(market))
    return newest<ItemOf<ChannelTopic<'trades'>>>(
      { from: 'channel', channel: 'trades', symbol: market, params: { market } },
      ({ price }) => measured(price),
    );
  const candles: RestTopic<'/candles'> = {
    from: 'rest',
    path: '/candles',
    query: { market, interval: '1m', limit: 1 },
    everyMs: CANDLE_MS,
  };
  return newest<ItemOf<typeof candles>>(candles, ({ data }) => {
    const last = data.at(-1);
    return last && measured(last.close);
  });
}

/** The topic of a rule, and how it is measured. */
export function watchOf(rule: AlertRule): AlertWatch {
  const { kind, subject, venue, indicator } = rule;
  const { text } = kindAbout[kind];
  if (indicator) return new IndicatorWatch(rule, indicator, () => import('./indicator-lines.ts'));
  if (kind === 'oi') return openInterest(rule);
  if (kind === 'fundingSpread') return fundingSpread(rule);
  if (kind === 'feed') return feed(rule);
  if (isOfMarket(rule)) return marketPrice(rule);
  if (kind === 'price') return coinPrice(rule);
  if (kind === 'funding' && venue !== undefined && venue !== perpVenues[0]) return fundingOf(rule, venue);
  if (kind === 'funding')
    return newest<ItemOf<ChannelTopic<'funding'>>>(channelTopic('funding', subject), (rate) => {
      const value = yearlyPct(rate);
      return { value, text: text(value) };
    });
  if (kind === 'venueSpread')
    return newest<ItemOf<ChannelTopic<'venueSpread'>>>(channelTopic('venueSpread', subject), ({ rows }) => {
      const prices = rows.filter(({ stale }) => !stale).toSorted((a, b) => a.priceUsd - b.priceUsd);
      const [low, high] = [prices[0], prices.at(-1)];
      if (!low || !high || low === high) return undefined;
      const value = (high.priceUsd / low.priceUsd - 1) * BPS;
      return { value, text: `${text(value)}: ${venueName(high.venue)} over ${venueName(low.venue)}` };
    });
  if (kind === 'liquidations')
    return summed<ItemOf<ChannelTopic<'liquidations'>>>(
      rule,
      channelTopic('liquidations', subject),
      'liquidations',
      ({ ts, notionalUsd }) => [ts, notionalUsd],
    );
  if (kind === 'cvd')
    return summed<ItemOf<ChannelTopic<'trades'>>>(
      rule,
      channelTopic('trades', subject),
      'trades',
      ({ ts, price: at, size, side }) => [ts, (side === 'buy' ? 1 : -1) * at * size],
    );
  if (kind === 'signal')
    return events<ItemOf<ChannelTopic<'flowSignals'>>>(channelTopic('flowSignals', subject), (signal) => ({
      value: severityOf(signal.severity),
      text: signal.message,
    }));
  const whales: StreamTopic<'/streams/whales'> = {
    from: 'stream',
    path: '/streams/whales',
    query: { coin: subject, minUsd: rule.value },
  };
  return events<ItemOf<typeof whales>>(whales, (item) => {
    if (item.event !== 'whale') return undefined;
    const { side, notionalUsd, price: at } = item.data;
    return { value: notionalUsd, text: `${side} of ${text(notionalUsd)} at $${at}` };
  });
}
