import { LARGE_PRINT_USD } from './trade-window.ts';

const spot = {
  priceUsd: '(bid + ask) / 2, or the last trade where a side is missing; times usdtUsd where quoted in USDT',
  usdtUsd: 'median of the fresh prices of USDT in USD on Coinbase and Kraken',
  globalMedianUsd:
    'median of priceUsd over the venues that are compared: fresh, and received within 2 s; of an even number, the mean of the middle two',
  basisBps: '(priceUsd / globalMedianUsd − 1) × 10 000',
  stale: 'more than 60 s old by the older of the venue’s time and the time of receipt',
  skewMs: 'time from the first of the compared prices that was received to the last',
  skewed: 'more than 2 s before or after the moment at which the most venues have a price',
  dispersionBps: 'largest less smallest basisBps of the compared venues',
} as const;

const korea = {
  localPriceKrw:
    '(bid + ask) / 2 of the fresh Korean book that was received nearest to the compared prices, else the last trade',
  usdKrw:
    'the first provider with a rate of the last 24 hours, else the newest rate; stale after four days, and then in no signal, score or record',
  localPriceUsd: 'localPriceKrw / usdKrw',
  premiumPct: '(localPriceUsd / globalMedianUsd − 1) × 100',
  premiumBps: '(localPriceUsd / globalMedianUsd − 1) × 10 000',
  premiumBpsUsdt: '(localPriceKrw / usdtKrw × usdtUsd / globalMedianUsd − 1) × 10 000',
  bidAskPressure: '(bid size − ask size) / (bid size + ask size) over all levels of the Korean book',
  interpretation: 'premium above 50 premiumBps, discount below −50, else neutral',
} as const;

const proxy = {
  proxyPremiumBps: '(priceUsd of Coinbase / median of the other compared venues − 1) × 10 000',
  proxyVolumeShare: 'volume24h of Coinbase / sum over the venues',
  proxyTapeDeltaUsd5m: 'taker buys less taker sells on Coinbase over the last 5 minutes, in USD',
  proxyNetTradeUsd5m: `same, counting only prints of at least ${LARGE_PRINT_USD} USD`,
  confidence: 'high: five compared venues and a live tape; medium: at least three; else low',
} as const;

const pressure = {
  primaryMicroNetUsd5m: 'taker buys less taker sells on the primary venue over the last 5 minutes, in USD',
  flowPressureScore: '100 × Σ weight × tanh(x / scale) / Σ weight over the components that are known',
  etfFlow: 'last complete day of the ETFs / population standard deviation of the complete days shown',
} as const;

/** The formula of each figure, by the answer that contains it. */
export const flowFormulas = {
  spreads: spot,
  kimchi: { ...spot, ...korea },
  etf: { ...spot, ...proxy, deviations: pressure.etfFlow },
  pressure: { ...spot, ...korea, ...proxy, ...pressure },
} as const satisfies Record<string, Readonly<Record<string, string>>>;
