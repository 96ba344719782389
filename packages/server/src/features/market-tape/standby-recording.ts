import type { Market } from '@crosstape/core';
import type { FeedChange, FeedEvent } from '../../ingest/feed-sink.ts';
import type { MarketReceiver, OpenMarketFeed } from '../../ingest/market-feed.ts';
import { type BufferedEvent, BufferingSink, isSocketEvent } from '../tape/buffering-sink.ts';
import { SEAM_MS, STANDBY_MS } from '../tape/takeover.ts';
import type { VenueRecording } from './venue-recording.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

export interface StandbyRecordingOptions extends Pick<VenueRecordingOptions, 'choose'> {
  readonly feed: OpenMarketFeed;
  /** Resolves when this is the ingester that records. */
  readonly led: Promise<void>;
  /** Called with the markets that are followed when the feed is first up; recording begins when it resolves. */
  readonly prepare?: ((markets: readonly Market[]) => Promise<void>) | undefined;
  /** Starts to record. */
  readonly begin: () => VenueRecording;
}

/**
 * A venue whose record is first written by another: the previous ingester, or the first-run history. Meanwhile it
 * follows the markets and buffers the last minute; then it reads the record, and continues with what was received
 * since.
 */
export class StandbyRecording implements MarketReceiver {
  readonly #options: StandbyRecordingOptions;
  readonly #buffer = new BufferingSink<BufferedEvent>({ keepMs: STANDBY_MS });
  readonly #begun: Promise<void>;
  #listed: readonly Market[] = [];
  #followed = '';
  /** Since when the trades of each followed market arrive; absent if no socket delivers them yet. */
  readonly #receivedFrom = new Map<string, number | undefined>();
  #recording: VenueRecording | undefined;
  #resolveStopped: () => void = () => undefined;
  #resolveUp: () => void = () => undefined;
  #isRecording = false;
  #isStopped = false;

  constructor(options: StandbyRecordingOptions) {
    this.#options = options;
    const stopped = new Promise<void>((resolve) => {
      this.#resolveStopped = resolve;
    });
    const { led, prepare } = options;
    const prepared = prepare && this.#whenUp().then(() => prepare(this.#chosen()));
    this.#begun = Promise.race([Promise.all([led, prepared]), stopped]).then(() => this.#begin());
  }

  /** Whether it leads and has read the record. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  readonly receive = (event: FeedEvent): void => {
    if (event.type === 'feed') this.#note(event);
    if (event.type === 'carried') this.#noteReceived(event.topics, event.atMs);
    if (isSocketEvent(event) || event.type === 'feed' || event.type === 'carried')
      this.#buffer.receive(event);
  };

  listed(markets: readonly Market[]): void {
    this.#listed = markets;
    if (this.#recording) this.#recording.listed(markets);
    else this.update();
  }

  /** Chooses the followed markets again. */
  update(): void {
    if (this.#recording) return this.#recording.update();
    const { feed } = this.#options;
    const chosen = this.#chosen();
    const name = chosen.map(({ id }) => id).join(' ');
    if (name === this.#followed) return;
    this.#followed = name;
    const symbols = new Set(chosen.map(({ symbol }) => symbol));
    for (const symbol of this.#receivedFrom.keys())
      if (!symbols.has(symbol)) this.#receivedFrom.delete(symbol);
    for (const symbol of symbols)
      if (!this.#receivedFrom.has(symbol)) this.#receivedFrom.set(symbol, undefined);
    feed.follow(chosen);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#resolveStopped();
    const stopping = this.#recording?.stop();
    await this.#begun;
    await stopping;
  }

  #chosen(): readonly Market[] {
    const { feed, choose } = this.#options;
    return choose(feed.publisher, this.#listed);
  }

  #whenUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolveUp = resolve;
    });
  }

  #note({ kind, atMs, awaiting = [] }: FeedChange): void {
    if (kind !== 'up') return;
    this.#resolveUp();
    const symbols = [...this.#receivedFrom.keys()];
    this.#noteReceived(
      symbols.filter((symbol) => !awaiting.includes(symbol)),
      atMs,
    );
  }

  #noteReceived(symbols: readonly string[], atMs: number): void {
    for (const symbol of symbols) this.#receivedFrom.set(symbol, this.#receivedFrom.get(symbol) ?? atMs);
  }

  async #begin(): Promise<void> {
    if (this.#isStopped) return;
    const recording = this.#options.begin();
    this.#recording = recording;
    recording.listed(this.#listed);
    await recording.opened;
    if (this.#isStopped) return;
    this.#isRecording = true;
    this.#open(recording);
    recording.receivedFrom((symbol) => this.#receivedFrom.get(symbol));
    this.#receivedFrom.clear();
  }

  /** Passes on the buffer. */
  #open(recording: VenueRecording): void {
    const { lastRecordedMs } = recording;
    if (lastRecordedMs === undefined) return void this.#buffer.open(recording.receive);
    let isOpening = true;
    this.#buffer.open((event) => {
      // A feed that was up when the record ended continues from there.
      const isBefore = isOpening && event.type === 'feed' && event.atMs < lastRecordedMs;
      recording.receive(isBefore ? { ...event, atMs: lastRecordedMs } : event);
    }, lastRecordedMs - SEAM_MS);
    isOpening = false;
  }
}
