import { CandleLedger } from '../features/candles/candle-ledger.ts';
import type { CandleSource } from '../ingest/candle-client.ts';
import type { OpenMarkets } from '../ingest/market-feed.ts';
import { VenueTime } from '../ingest/venue-time.ts';
import { capturedCandles } from './captured-sources.ts';
import { connectVenues } from './connect-venues.ts';
import { createBackfill } from './create-backfill.ts';
import type { IngestDependencies } from './ingest.ts';
import { startParts, type Started } from './role-dependencies.ts';
import { createAudit, startMarkets } from './start-markets.ts';

/**
 * The part of `startIngest` for an ingester without the primary venue: records the markets of its venues and keeps
 * their candles. Everything else belongs to the primary group.
 */
export function startMarketIngest(
  dependencies: IngestDependencies & Required<Pick<IngestDependencies, 'turn'>>,
): Promise<Started> {
  return startParts(async (stops) => {
    const { settings, clock, bus, log, store, turn, upstream } = dependencies;
    const venueTime = new VenueTime({ clock, bus, log });
    stops.add(() => venueTime.stop());
    const keptFromMs = (keepMs: number): number | undefined => venueTime.keptFromMs(keepMs);
    const { candleDays } = settings;
    const candles = new CandleLedger({ store, bus, clock, log, keptFromMs, candleDays });
    const audit = createAudit(dependencies, keptFromMs);
    stops.add(() => audit.stop());
    const backfill = createBackfill(dependencies, { candles });
    stops.add(async () => void (await Promise.all([candles.stop(), backfill.stop()])));
    const parts = { keptFromMs, candles, audit, archive: undefined, prepare: undefined };
    const { markets, books } = startMarkets(dependencies, parts, stops);
    const onCandles = (source: CandleSource): void => {
      audit.add(source);
      backfill.addCandles(capturedCandles(upstream, source));
    };
    const timed: OpenMarkets | undefined =
      markets &&
      ((feed) => {
        const receiver = markets(feed);
        return {
          receive(event) {
            // Frame times are compared before anything uses them.
            venueTime.receive(event);
            receiver.receive(event);
          },
          listed: (listed) => receiver.listed(listed),
        };
      });
    await connectVenues(
      dependencies,
      {
        sink: () => undefined,
        ...(timed && { markets: timed }),
        ...(books && { books }),
        onCandles,
      },
      stops,
    );
    const stopping = new AbortController();
    const begin = async (): Promise<void> => {
      await turn.acquired(stopping.signal);
      if (stopping.signal.aborted) return;
      candles.start();
      audit.start();
      backfill.start();
    };
    const begun = begin();
    stops.add(async () => {
      stopping.abort();
      await begun;
    });
    return {};
  });
}
