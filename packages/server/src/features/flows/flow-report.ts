import type { SignalMark } from '@crosstape/core';
import type { LatestTopic } from '../../platform/bus.ts';
import type { ProxyPrice } from './etf-proxy.ts';
import { type FlowFigures, LAST_GOOD_MS, type TapeReading } from './flow-figures.ts';
import type { FlowFailures } from './flow-sources.ts';
import type { KimchiPremium } from './kimchi-premium.ts';
import type { FlowSignal } from './signal-watch.ts';
import type { VenueSpreads } from './venue-spreads.ts';

/** A part, and when it was made: before the report where it can no longer be. */
export interface Dated<Part> {
  readonly part: Part;
  readonly atMs: number;
}

/** The parts as they were last known. */
export interface FlowParts {
  readonly spreads?: Dated<VenueSpreads>;
  readonly kimchi?: Dated<KimchiPremium>;
  readonly proxy?: Dated<ProxyPrice>;
  readonly proxyTape?: Dated<TapeReading>;
}

/** Everything about the flows of a coin, once a second: all users of flows read it from here. */
export interface FlowReport {
  readonly coin: string;
  readonly atMs: number;
  readonly figures: FlowFigures;
  readonly parts: FlowParts;
  /** The strongest first. */
  readonly signals: readonly FlowSignal[];
  readonly marks: readonly SignalMark[];
  readonly headline: string;
  readonly failures: FlowFailures;
  /** Fetch time of its newest input; the report's own time if there is none. */
  readonly fetchedAtMs: number;
}

export function flowTopic(coin: string): LatestTopic<FlowReport> {
  return { name: `flows:${coin}`, keep: { kind: 'latest' } };
}

/** The current parts, and the last ones of those that cannot be computed now, while they may be served. */
export function partsAt(figures: FlowFigures, before: FlowParts): FlowParts {
  const { atMs, spreads, kimchi, proxy, proxyTape } = figures;
  const now = {
    ...(spreads && { spreads: { part: spreads, atMs } }),
    ...(typeof kimchi === 'object' && { kimchi: { part: kimchi, atMs } }),
    ...(proxy && { proxy: { part: proxy, atMs } }),
    ...(proxyTape?.isReceiving && { proxyTape: { part: proxyTape, atMs } }),
  };
  return { ...keptParts(before, atMs), ...now };
}

/** The parts that may be served at a time. */
export function keptParts(parts: FlowParts, atMs: number): FlowParts {
  const kept = Object.entries(parts).filter(([, { atMs: madeMs }]) => atMs - madeMs <= LAST_GOOD_MS);
  return Object.fromEntries(kept);
}

/** Fetch time of the newest input; `undefined` if there is none. */
export function newestFetchMs({ prices, kimchi, etf }: FlowFigures): number | undefined {
  const times = [
    ...prices.map(({ receivedAtMs }) => receivedAtMs),
    ...(typeof kimchi === 'object' ? [kimchi.fetchedAtMs] : []),
    ...(etf ? [etf.fetchedAtMs] : []),
  ];
  return times.length > 0 ? Math.max(...times) : undefined;
}
