import { systemClock } from '@crosstape/client';
import { candleIntervalsMs, type CandleSpec } from '@crosstape/client/bars';
import { untrack } from 'svelte';
import { compact } from '../../format/numbers.ts';
import { venueName } from '../../format/venues.ts';
import { channel, rest, type Source } from '../../live/reading.svelte.ts';
import { samplesAt } from '../../replay/replay-time.ts';
import { replay } from '../../replay/replay.svelte.ts';
import type { BarChart } from './bar-chart.ts';
import { coinsPerContract, oiSamples } from './by-venue/oi-lines.ts';
import { stateText } from './by-venue/target.ts';
import { type Indicator, type Sample, sampled } from './indicator.ts';
import type { MarketChoice } from './market-choice.ts';
import { fundingVenueOf, oiVenueOf, PRIMARY, recentSamples } from './market-figures.ts';
import { fundingSamples, goneOn, samplesSinceMs } from './samples.ts';

const PAST_EVERY_MS = 600_000;
/** The interval of the figures above the chart, so that both share them. */
export const OI_EVERY_MS = 30_000;
export const FUNDING_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;

interface SamplesTarget {
  readonly market: MarketChoice;
  /** Names of indicators, which determine the requests. */
  readonly indicators: readonly string[];
  /** Interval of its candles; other bars have none. */
  readonly interval: CandleSpec['interval'] | undefined;
  /** Time of the first bar; 0 while there is none. */
  readonly firstTs: number;
  readonly chart: BarChart | undefined;
}

/** Open interest and funding of the venue of a chart: recorded every ten minutes, and the newest values. */
export class VenueSamples {
  readonly #target: () => SamplesTarget;
  readonly #oiVenue = $derived.by(() => this.#wanted('oi', oiVenueOf));
  readonly #fundingVenue = $derived.by(() => this.#wanted('funding', fundingVenueOf));
  readonly #oiPast = rest('/perps/oi/history', () => this.#past(this.#oiVenue), PAST_EVERY_MS);
  readonly #fundingPast = rest('/perps/funding/history', () => this.#past(this.#fundingVenue), PAST_EVERY_MS);
  // Newer values of the primary venue arrive over a channel, others are polled.
  readonly #liveOi = channel('openInterest', () => this.#ofPrimary(this.#oiVenue));
  readonly #liveRate = channel('funding', () => this.#ofPrimary(this.#fundingVenue));
  readonly #oiNow = rest('/perps/oi', () => this.#now(this.#oiVenue), OI_EVERY_MS);
  readonly #fundingNow = rest('/perps/funding', () => this.#now(this.#fundingVenue), FUNDING_EVERY_MS);
  #oi: readonly Sample[] = [];
  #funding: readonly Sample[] = [];

  constructor(target: () => SamplesTarget) {
    this.#target = target;
    // Bars of another length have the same samples. Those of a replay may be later than its time.
    const named = $derived(`${target().market.coin} ${replay.isOn} ${replay.epoch}`);
    const oiNamed = $derived(`${named} ${this.#oiVenue}`);
    const fundingNamed = $derived(`${named} ${this.#fundingVenue}`);
    $effect(() => {
      if (oiNamed) this.#oi = [];
    });
    $effect(() => {
      if (fundingNamed) this.#funding = [];
    });
    $effect(() => {
      if (oiNamed) this.#takeOi();
    });
    $effect(() => {
      if (fundingNamed) this.#takeFunding();
    });
    // After the history, so that newer values continue it. Bars show them from the next trade on.
    $effect(() => {
      const sample = this.#newestOi;
      if (oiNamed && sample && this.#oiPast.data) this.#oi = goneOn(this.#oi, [sample]);
    });
    $effect(() => {
      const sample = this.#newestRate;
      if (fundingNamed && sample && this.#fundingPast.data) this.#funding = goneOn(this.#funding, [sample]);
    });
  }

  get sources(): readonly Source[] {
    return [...this.#oiSources, ...this.#fundingSources];
  }

  readonly #oiTitle = $derived.by(() => {
    const { data } = this.#oiPast;
    const isThere = data !== undefined && this.#perContract !== undefined;
    const empty = data?.points.length === 0 ? 'nothing recorded yet' : undefined;
    const state = stateText(this.#oiSources, isThere, empty);
    return `Open interest, ${venueName(this.#oiVenue ?? '')}, ${this.#target().market.coin}${state}`;
  });

  readonly #fundingTitle = $derived.by(() => {
    const { data } = this.#fundingPast;
    const empty = data?.points.length === 0 ? 'nothing recorded yet' : undefined;
    const state = stateText(this.#fundingSources, data !== undefined, empty);
    return `Funding, ${venueName(this.#fundingVenue ?? '')}, % per hour${state}`;
  });

  /** Indicators that the market has. */
  readonly indicators = $derived.by((): readonly Indicator[] => [
    ...(this.#oiVenue === undefined
      ? []
      : [
          sampled(
            {
              name: 'oi',
              title: this.#oiTitle,
              lines: [{ name: 'OI', color: '--series-3' }],
              text: (value) => compact(value, 2),
            },
            () => [this.#oi],
          ),
        ]),
    ...(this.#fundingVenue === undefined
      ? []
      : [
          sampled(
            {
              name: 'funding',
              title: this.#fundingTitle,
              lines: [{ name: 'Funding', color: '--series-4' }],
              text: (value) => `${value.toFixed(4)}%`,
            },
            () => [this.#funding],
          ),
        ]),
  ]);

  get #oiSources(): readonly Source[] {
    return [this.#oiPast, this.#liveOi, this.#oiNow];
  }

  get #fundingSources(): readonly Source[] {
    return [this.#fundingPast, this.#liveRate, this.#fundingNow];
  }

  /** Coins per contract of the venue; `undefined` while unknown. */
  readonly #perContract = $derived.by(() => {
    if (this.#oiVenue === PRIMARY) return 1;
    const row = this.#oiNow.data?.[0];
    return row && coinsPerContract(row);
  });

  readonly #newestOi = $derived.by((): Sample | undefined => {
    const received = this.#liveOi.latest;
    if (received) return { ts: received.ts, value: received.oiContracts };
    const row = replay.isOn ? undefined : this.#oiNow.data?.[0];
    return row?.oiCoin === undefined ? undefined : { ts: row.fetchedAt, value: row.oiCoin };
  });

  readonly #newestRate = $derived.by((): Sample | undefined => {
    const received = this.#liveRate.latest;
    if (received) return { ts: received.ts, value: (received.rate / received.periodHours) * 100 };
    const row = replay.isOn ? undefined : this.#fundingNow.data?.[0];
    return row && { ts: row.fetchedAt, value: (row.rate / row.periodHours) * 100 };
  });

  #wanted<Venue>(indicator: string, venueOf: (market: MarketChoice) => Venue): Venue | undefined {
    const { market, indicators } = this.#target();
    return indicators.includes(indicator) ? venueOf(market) : undefined;
  }

  #ofPrimary(venue: string | undefined): string | undefined {
    return venue === PRIMARY ? this.#target().market.coin : undefined;
  }

  #now<Venue extends string>(venue: Venue | undefined) {
    if (venue === undefined || venue === PRIMARY) return undefined;
    return { coins: [this.#target().market.coin], venues: [venue] };
  }

  /** Bars of an hour and more reach back for years, and so do samples of every hour. A replay reads those of its time. */
  #past<Venue extends string>(venue: Venue | undefined) {
    if (venue === undefined) return undefined;
    const { market, interval, firstTs } = this.#target();
    const { coin } = market;
    if (interval && candleIntervalsMs[interval] >= HOUR_MS) {
      const sinceMs = samplesSinceMs(firstTs);
      return firstTs === 0 ? undefined : ({ coin, venue, interval: '1h', sinceMs } as const);
    }
    if (!replay.isOn) return recentSamples(coin, venue, systemClock.now());
    return { ...recentSamples(coin, venue, replay.startMs), ...samplesAt(replay.startMs, systemClock.now()) };
  }

  // Current data stay while older ones are loaded.
  #takeOi(): void {
    const { data } = this.#oiPast;
    const perContract = this.#perContract;
    if (!data || perContract === undefined) return;
    this.#oi = data.points.length === 0 ? [] : oiSamples(data.points, perContract, this.#oi);
    untrack(this.#target).chart?.refreshIndicator('oi');
  }

  #takeFunding(): void {
    const { data } = this.#fundingPast;
    if (!data || this.#fundingVenue === undefined) return;
    const past = fundingSamples(data, this.#fundingVenue);
    this.#funding = past.length === 0 ? [] : goneOn(past, this.#funding);
    untrack(this.#target).chart?.refreshIndicator('funding');
  }
}
