import { type Clock, type FlowPoint, onClockSetBack } from '@crosstape/core';
import type { Bus, LatestTopic } from '../../platform/bus.ts';
import {
  asOfMs,
  demandTopic,
  followTopic,
  healthTopic,
  gapTopic,
  spotTradeTopic,
  tradeTopic,
} from '../../topics.ts';
import { healthOf } from '../../health/failing-source.ts';
import { watchTapeOpening } from '../tape/tape-opening.ts';
import { CoinReporter } from './coin-reporter.ts';
import { proxyVenue } from './etf-proxy.ts';
import type { FlowInputs } from './flow-figures.ts';
import { flowDemands, quoteFollowings } from './flow-demand.ts';
import { flowTopic } from './flow-report.ts';
import { flowFailures } from './flow-sources.ts';
import { etfAssets, etfSource, readEtf, readKorea, readSpots } from './flow-inputs.ts';
import { ReceiveWindow } from './receive-window.ts';

const REPORT_EVERY_MS = 1_000;
/** More often than a demand is forgotten. */
const DEMAND_EVERY_MS = 10_000;
/** ETF flows change by the day: they are served for a week. */
const ETF_LAST_GOOD_MS = 7 * 86_400_000;

export interface FlowEngineOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** The coins that are followed. */
  readonly coins: readonly string[];
  readonly primaryVenue: string;
  readonly history: FlowHistory;
}

/** By coin: recorded points of the last 24 hours, oldest first. */
export type FlowHistory = ReadonlyMap<string, readonly FlowPoint[]>;

export interface FlowEngine {
  /** Adds history that became available later. */
  remember(history: FlowHistory): void;
  stop(): void;
}

/** Computes the figures of the followed coins from everything received, and publishes them once a second. */
export function startFlowEngine({ clock, bus, coins, primaryVenue, history }: FlowEngineOptions): FlowEngine {
  const latest = <Message>(topic: LatestTopic<Message>): Message | undefined => bus.latest(topic)?.message;
  const parts = coins.map((coin) => ({
    coin,
    reporter: new CoinReporter(coin, history.get(coin) ?? []),
    primary: new ReceiveWindow({
      clock,
      bus,
      topic: tradeTopic(coin),
      publisher: primaryVenue,
      gaps: gapTopic(coin),
    }),
    proxy: new ReceiveWindow({
      clock,
      bus,
      topic: spotTradeTopic(proxyVenue.venue, coin),
      publisher: proxyVenue.source,
    }),
  }));
  const etfOf = (coin: string, nowMs: number): FlowInputs['etf'] => {
    const asset = etfAssets[coin];
    if (!asset) return undefined;
    const flows = readEtf(latest, asset);
    const isServed = flows && nowMs - asOfMs(flows) <= ETF_LAST_GOOD_MS;
    const health = healthOf(latest(healthTopic(etfSource)), `${asset}EtfFlows`);
    return { flows: isServed ? flows : undefined, isOk: health === undefined || health.status === 'ok' };
  };
  const timer = clock.every(REPORT_EVERY_MS, () => {
    const nowMs = clock.now();
    const [spots, korea] = [readSpots(latest, nowMs), readKorea(latest)];
    for (const { coin, reporter, primary, proxy } of parts) {
      const inputs = {
        nowMs,
        spots,
        korea,
        etf: etfOf(coin, nowMs),
        proxyTape: proxy.read(nowMs),
        primaryTape: primary.read(nowMs),
      };
      const report = reporter.report(inputs, (figures) => flowFailures(figures, primaryVenue, latest));
      bus.publish(flowTopic(coin), report);
    }
  });
  const follow = (): void => {
    for (const following of quoteFollowings(coins)) bus.publish(followTopic, following);
  };
  follow();
  const demanding = clock.every(DEMAND_EVERY_MS, () => {
    follow();
    for (const demand of flowDemands(coins, latest)) bus.publish(demandTopic, demand);
  });
  // Trades of the first-run history are recorded, but never published.
  const leave = watchTapeOpening(bus, undefined, () => {
    for (const { primary } of parts) primary.restart();
  });
  const setBack = onClockSetBack(clock, () => {
    for (const { primary, proxy } of parts) {
      primary.restart();
      proxy.restart();
    }
  });
  return {
    remember(later) {
      for (const { coin, reporter } of parts) reporter.remember(later.get(coin) ?? []);
    },
    stop() {
      leave();
      setBack.cancel();
      timer.cancel();
      demanding.cancel();
      for (const { primary, proxy } of parts) {
        primary.stop();
        proxy.stop();
      }
    },
  };
}
