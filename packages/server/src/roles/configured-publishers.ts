import {
  allPublishers,
  bitcoindataWith,
  coinalyzeWith,
  coinbaseFollowing,
  coingeckoWith,
  farsideAs,
  farsideAt,
  type Publisher,
  upbitFollowing,
} from '@crosstape/venues';
import { etfRequest } from '../settings/etf-source.ts';
import type { Settings } from '../settings/settings.ts';

/** Everybody who is asked for something. */
export interface Publishers {
  readonly all: readonly Publisher[];
  /** The one of them that is found elsewhere than at its own address. */
  readonly etf: Publisher | undefined;
}

export function chosenPublishers(settings: Settings): Publishers {
  const { etfSource, etfUserAgent, coinalyzeKey, coingeckoKey, bitcoindataToken } = settings;
  const page = etfSource === undefined ? undefined : etfRequest(etfSource);
  const etf = page && farsideAt(page.url, page.headers);
  const given = [
    etf ?? (etfUserAgent === undefined ? undefined : farsideAs(etfUserAgent)),
    coinalyzeKey === undefined ? undefined : coinalyzeWith(coinalyzeKey),
    coingeckoKey === undefined ? undefined : coingeckoWith(coingeckoKey),
    bitcoindataToken === undefined ? undefined : bitcoindataWith(bitcoindataToken),
    coinbaseFollowing(chosenFlowCoins(settings)),
    upbitFollowing(chosenFlowCoins(settings)),
  ];
  const all = allPublishers.map((one) => given.find((other) => other?.id === one.id) ?? one);
  return { all, etf };
}

/** The coins whose flows are followed. Those with ETFs are told of together with these, so they are always among them. */
export function chosenFlowCoins({ flowCoins }: Settings): readonly string[] {
  return [...new Set(['BTC', 'ETH', ...flowCoins.split(',')])];
}
