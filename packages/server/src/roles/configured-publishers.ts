import {
  allPublishers,
  bitcoindataWith,
  coinalyzeWith,
  coinbaseFollowing,
  coingeckoWith,
  farsideWith,
  type Publisher,
  upbitFollowing,
} from '@crosstape/venues';
import { etfPages } from '../settings/etf-source.ts';
import type { Settings } from '../settings/settings.ts';

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
 * The coins whose flows are followed. Those with ETFs are reported together with these, so they are always among them.
 */
export function configuredFlowCoins({ flowCoins }: Settings): readonly string[] {
  return [...new Set(['BTC', 'ETH', ...flowCoins.split(',')])];
}
