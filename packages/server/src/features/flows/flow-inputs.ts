import type { Asset, EtfFlows } from '@crosstape/core';
import { koreanVenue } from '@crosstape/venues';
import type { LatestTopic } from '../../platform/bus.ts';
import { asOfMs, type Snapshot, snapshotTopic } from '../../topics.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { fxSources } from '../rates/usd-krw.ts';
import type { VenueSpot } from '../rates/usdt-rate.ts';
import { type KoreanTables, LAST_GOOD_MS } from './flow-figures.ts';

/** The newest message of a topic: from the bus, or from an answer that records its inputs. */
export type Latest = <Message>(topic: LatestTopic<Message>) => Message | undefined;

export const koreanSource: string = koreanVenue.id;
export const etfSource = 'farside';
/** The coins that have ETFs. */
export const etfAssets: Readonly<Record<string, Asset>> = { BTC: 'bitcoin', ETH: 'ethereum' };

/** The latest data of the spot venues, as long as they may be served. */
export function readSpots(latest: Latest, nowMs: number): readonly VenueSpot[] {
  return spotVenueNames.flatMap(({ venue, source }) => {
    const tickers = latest(snapshotTopic(source, 'spotTickers'));
    if (!tickers || nowMs - asOfMs(tickers) > LAST_GOOD_MS) return [];
    const opens = latest(snapshotTopic(source, 'dayOpens'));
    const quotes = latest(snapshotTopic(source, 'spotQuotes'));
    return [{ venue, tickers, ...(quotes && { quotes }), ...(opens && { opens }) }];
  });
}

/** The pairs that a spot venue lists: by its list if it has one, else by its prices. */
export function listedPairs(
  latest: Latest,
  source: string,
): readonly { readonly coin: string; readonly quote?: string }[] {
  const listed = latest(snapshotTopic(source, 'instruments'))?.rows ?? [];
  return listed.length > 0 ? listed : (latest(snapshotTopic(source, 'spotTickers'))?.rows ?? []);
}

export function readKorea(latest: Latest): KoreanTables {
  return {
    tickers: latest(snapshotTopic(koreanSource, 'spotTickers')),
    books: latest(snapshotTopic(koreanSource, 'spotBooks')),
    rates: fxSources.flatMap((source) => latest(snapshotTopic(source, 'exchangeRates')) ?? []),
  };
}

export function readEtf(latest: Latest, asset: Asset): Snapshot<EtfFlows> | undefined {
  return latest(snapshotTopic(etfSource, `${asset}EtfFlows`));
}
