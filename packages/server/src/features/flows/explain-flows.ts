import type { FailingSource } from '@crosstape/core';
import type { Static } from 'typebox';
import type { FlowFigures, PriceFigures } from './flow-figures.ts';
import { flowFormulas } from './flow-formulas.ts';
import { pressureComponents, type PressurePart } from './flow-pressure.ts';
import { proxyVenue } from './etf-proxy.ts';
import { etfSource } from './flow-inputs.ts';
import type { FlowExplanation } from './meta-schema.ts';

type Explanation = Static<typeof FlowExplanation>;
type Input = Explanation['inputs'][number];

/** The inputs of an answer about one coin. */
export interface Explained {
  readonly coin: string;
  readonly figures: PriceFigures & Partial<Omit<FlowFigures, keyof PriceFigures>>;
  readonly failing: readonly FailingSource[];
}

/** How the figures of an answer were made: of `kind`, for each of the coins. */
export function explainFlows(kind: keyof typeof flowFormulas, coins: readonly Explained[]): Explanation {
  return {
    formulas: Object.entries(flowFormulas[kind]).map(([field, formula]) => ({ field, formula })),
    inputs: coins.flatMap(({ coin, figures }) => inputsOf[kind](coin, figures)),
    leftOut: coins.flatMap((one) => leftOutOf(kind, one)),
  };
}

type Figures = Explained['figures'];

const inputsOf: Readonly<Record<keyof typeof flowFormulas, (coin: string, figures: Figures) => Input[]>> = {
  spreads: spotInputs,
  kimchi: (coin, figures) => [...spotInputs(coin, figures), ...koreanInputs(coin, figures)],
  etf: (coin, figures) => [...spotInputs(coin, figures), ...proxyInputs(coin, figures)],
  pressure: (coin, figures) => [
    ...spotInputs(coin, figures),
    ...koreanInputs(coin, figures),
    ...proxyInputs(coin, figures),
    ...primaryInputs(coin, figures),
  ],
};

function spotInputs(coin: string, { prices, usdtRate }: Figures): Input[] {
  const inputs = prices.flatMap((price): Input[] => {
    const { venue, quote, rawPrice, priceUsd, bidUsd, askUsd, volume24hCoins, asOfMs: ts } = price;
    const input = (name: string, value: number | undefined, unit: string): Input[] =>
      value === undefined ? [] : [{ coin, name: `${name} on ${venue}`, value, unit, source: venue, ts }];
    return [
      ...input('last price', rawPrice, quote),
      ...input('bid', bidUsd, 'USD'),
      ...input('ask', askUsd, 'USD'),
      ...input('priceUsd', priceUsd, 'USD'),
      ...input('volume24h', volume24hCoins, coin),
    ];
  });
  const usdt = usdtRate && {
    coin,
    name: 'usdtUsd',
    value: usdtRate.rate,
    unit: 'USD',
    source: usdtRate.venues.join('+'),
    ts: usdtRate.asOfMs,
  };
  return usdt ? [...inputs, usdt] : inputs;
}

function koreanInputs(coin: string, { kimchi }: Figures): Input[] {
  if (typeof kimchi === 'string') return [];
  const { localPriceKrw, priceFrom, venue, fetchedAtMs: ts, usdKrw, usdt, bookSizes } = kimchi;
  const from = priceFrom === 'book' ? 'middle of the book' : 'last price';
  return [
    { coin, name: `${from} on ${venue}`, value: localPriceKrw, unit: 'KRW', source: venue, ts },
    ...(bookSizes
      ? [
          { coin, name: `bid size on ${venue}`, value: bookSizes.bid, unit: coin, source: venue, ts },
          { coin, name: `ask size on ${venue}`, value: bookSizes.ask, unit: coin, source: venue, ts },
        ]
      : []),
    {
      coin,
      name: 'usdKrw',
      value: usdKrw.rate,
      unit: 'KRW per USD',
      source: usdKrw.provider,
      ts: usdKrw.asOfMs,
    },
    ...(usdt ? [{ coin, name: 'usdtKrw', value: usdt.usdtKrw, unit: 'KRW', source: venue, ts }] : []),
  ];
}

function proxyInputs(coin: string, { proxy, proxyTape, etf, atMs: ts = 0 }: Figures): Input[] {
  const source = proxyVenue.venue;
  const usd = (name: string, value: number): Input => ({ coin, name, value, unit: 'USD', source, ts });
  return [
    ...(proxy
      ? [{ ...usd('median of the other venues', proxy.othersMedianUsd), source: 'the other fresh venues' }]
      : []),
    ...(proxyTape
      ? [
          usd('net of 5 minutes', proxyTape.netUsd),
          usd('volume of 5 minutes', proxyTape.volumeUsd),
          usd('net of large prints of 5 minutes', proxyTape.largeNetUsd),
        ]
      : []),
    ...(etf
      ? [
          {
            coin,
            name: 'last complete day of the ETFs',
            value: etf.latestTotalUsdm,
            unit: 'million USD',
            source: etfSource,
            ts: etf.latestDateMs,
          },
          {
            coin,
            name: `standard deviation of ${etf.days} complete days`,
            value: etf.sigmaUsdm,
            unit: 'million USD',
            source: etfSource,
            ts: etf.fetchedAtMs,
          },
        ]
      : []),
  ];
}

function primaryInputs(coin: string, { primaryTape, deviation, atMs: ts = 0 }: Figures): Input[] {
  const usd = (name: string, value: number): Input => ({
    coin,
    name,
    value,
    unit: 'USD',
    source: 'primary venue',
    ts,
  });
  return [
    ...(primaryTape
      ? [
          usd('net of 5 minutes on the primary venue', primaryTape.netUsd),
          usd('volume of 5 minutes on the primary venue', primaryTape.volumeUsd),
        ]
      : []),
    ...(deviation
      ? [usd(`standard deviation of that net over ${deviation.samples} minutes`, deviation.sigmaUsd)]
      : []),
  ];
}

const NOT_THEN = 'was not received within 2 s of the others.';

const partWords: Readonly<Record<PressurePart, string>> = {
  proxyPremium: 'Coinbase and the other spot venues have no fresh prices of the same moment.',
  kimchiPremium: 'The Korean premium is not known, or its prices are not of the same moment.',
  proxyTape: 'The trades of Coinbase are not complete over the last 5 minutes.',
  primaryNet: 'The trades of the primary venue are not complete over the last 5 minutes.',
  etfFlow: 'No ETF flow data for this coin.',
};

function leftOutOf(
  kind: keyof typeof flowFormulas,
  { coin, figures, failing }: Explained,
): Explanation['leftOut'] {
  const { kimchi, pressure } = figures;
  const known = new Set(pressure?.components.map(({ part }) => part));
  const missing = (Object.keys(pressureComponents) as PressurePart[]).filter((part) => !known.has(part));
  return [
    ...figures.prices
      .filter(({ isStale }) => isStale)
      .map(({ venue }) => ({ coin, what: venue, why: `The newest price of ${coin} on ${venue} is old.` })),
    ...figures.prices
      .filter(({ isStale, isSkewed }) => isSkewed && !isStale)
      .map(({ venue }) => ({ coin, what: venue, why: `The price of ${coin} on ${venue} ${NOT_THEN}` })),
    ...failing.map(({ source, error }) => ({ coin, what: source, why: error ?? 'It is failing.' })),
    ...(typeof kimchi === 'string' && (kind === 'kimchi' || kind === 'pressure')
      ? [{ coin, what: 'kimchi', why: kimchi }]
      : []),
    ...(kind === 'pressure' ? missing.map((part) => ({ coin, what: part, why: partWords[part] })) : []),
  ];
}
