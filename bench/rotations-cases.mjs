/** Every kind, with parameters that give at most one bar per 50 trades; on this tape about one per 100 or fewer. */
export const cases = [
  { kind: 'time', params: { intervalMs: 60_000 } },
  { kind: 'tick', params: { trades: 100 } },
  { kind: 'tick', params: { trades: 50 } },
  { kind: 'volume', params: { volume: 10 } },
  { kind: 'volume', params: { volume: 1_000_000, unit: 'usd' } },
  { kind: 'range', params: { rangeTicks: 40 } },
  { kind: 'delta', params: { delta: 5 } },
  { kind: 'delta', params: { delta: 500_000, unit: 'usd' } },
  { kind: 'trend_reversal', params: { trendTicks: 60, revTicks: 30 } },
  { kind: 'pnf', params: { boxTicks: 10, reversal: 3 } },
];
