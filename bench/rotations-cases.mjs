/** Every kind, with parameters that give at most one bar per 50 trades. */
export const cases = [
  { kind: 'time', params: { intervalMs: 60_000 } },
  { kind: 'tick', params: { trades: 100 } },
  { kind: 'volume', params: { volume: 10 } },
  { kind: 'volume', params: { volume: 1_000_000, unit: 'usd' } },
  { kind: 'range', params: { rangeTicks: 40 } },
  { kind: 'delta', params: { delta: 5 } },
  { kind: 'delta', params: { delta: 500_000, unit: 'usd' } },
  { kind: 'trend_reversal', params: { trendTicks: 48, revTicks: 24 } },
  { kind: 'pnf', params: { boxTicks: 10, reversal: 3 } },
];
