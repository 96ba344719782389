import {
  allPublishers,
  bitcoindataWith,
  coinalyzeWith,
  coinbaseFollowing,
  coingeckoWith,
  farsideWith,
  type Connector,
  marketPrefixOf,
  type Publisher,
  upbitFollowing,
} from '@crosstape/venues';
import { etfPages } from '../settings/etf-source.ts';
import type { Settings } from '../settings/settings.ts';
import { hasPrimaryVenue, readVenues } from '../settings/venues-setting.ts';

/** Every publisher that is polled or connected, as the settings want it. */
export function configuredPublishers(settings: Settings): readonly Publisher[] {
  const { etfSource, etfUserAgent, coinalyzeKey, coingeckoKey, bitcoindataToken, sources } = settings;
  const pages = etfSource === undefined ? {} : etfPages(etfSource);
  const given = [
    farsideWith({ pages, userAgent: etfUserAgent }),
    coinalyzeKey === undefined ? undefined : coinalyzeWith(coinalyzeKey),
    coingeckoKey === undefined ? undefined : coingeckoWith(coingeckoKey),
    bitcoindataToken === undefined ? undefined : bitcoindataWith(bitcoindataToken),
    coinbaseFollowing(configuredFlowCoins(settings)),
    upbitFollowing(configuredFlowCoins(settings)),
  ];
  const read = allPublishers.filter(({ id }) => sources?.includes(id) ?? true);
  return read.map((one) => given.find((other) => other?.id === one.id) ?? one);
}

/**
 * The publishers of this ingester, if several share the venues. The one with the primary venue reads everything of the
 * others' venues except their markets; the others need only the list of instruments.
 */
export function publishersOfGroup(settings: Settings): readonly Publisher[] {
  const all = configuredPublishers(settings);
  const venues = readVenues(settings);
  if (!venues) return all;
  const isNamed = (one: Publisher): boolean => venues.includes(marketPrefixOf(one));
  return hasPrimaryVenue(settings)
    ? all.map((one) => (isNamed(one) ? one : withConnector(one, withoutMarkets)))
    : all.filter(isNamed).map((one) => withConnector(one, marketsAlone));
}

function withConnector(publisher: Publisher, change: (connector: Connector) => Connector): Publisher {
  const { connector } = publisher;
  return connector?.marketTrades ? { ...publisher, connector: change(connector) } : publisher;
}

function withoutMarkets({ marketTrades: _, marketBooks: __, candles: ___, ...rest }: Connector): Connector {
  return rest;
}

function marketsAlone(connector: Connector): Connector {
  const listers = (['instruments', 'spotTickers'] as const).map((table) =>
    connector.resources.filter(({ gives }) => gives.includes(table)),
  );
  const resources = listers.find((some) => some.length > 0) ?? [];
  return { ...connector, resources, lookups: [], feeds: [], histories: [] };
}

/** The coins whose flows are followed. Coins with ETFs are always included, because they are reported together. */
export function configuredFlowCoins({ flowCoins }: Settings): readonly string[] {
  return [...new Set(['BTC', 'ETH', ...flowCoins.split(',')])];
}
