import { bankTimeMs, Currencies } from '../../market/currencies.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply } from '../wire.ts';

const CODE = 'FRX.KRWUSD';
const KOREA_MS = 9 * 3_600_000;

/** The forex rates of Upbit's owner: limits are not documented [K]. */
export const dunamu = simulateVenue({
  shape: { id: 'dunamu', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: [{ path: '/v1/forex/recent', answer: answerRecent }],
  limits: [{ name: 'requests', spanMs: 60_000, max: 30 }],
  overLimit: () => ({ status: 429, type: 'text/plain', body: 'Too Many Requests' }),
  notFound: { status: 404, type: 'text/plain', body: 'Not Found' },
  sockets: [],
});

/** Undocumented; as public clients read it [M]. A code that is unknown is left out [K]. */
function answerRecent({ market, query, nowMs }: Question): Reply {
  const codes = (query.get('codes') ?? '').split(',');
  if (!codes.includes(CODE)) return new Reply([]);
  const money = new Currencies(market.market.seed);
  const atMs = bankTimeMs(nowMs);
  const rate = inTenths(money.usdKrw(atMs));
  const before = inTenths(money.usdKrw(atMs - 86_400_000));
  const [date, time] = new Date(atMs + KOREA_MS).toISOString().split(/[T.]/);
  return new Reply([
    {
      code: CODE,
      currencyCode: 'USD',
      date,
      time,
      basePrice: rate,
      openingPrice: before,
      change: rate >= before ? 'RISE' : 'FALL',
      changePrice: inTenths(Math.abs(rate - before)),
      signedChangeRate: rate / before - 1,
      cashBuyingPrice: inTenths(rate * 1.0175),
      cashSellingPrice: inTenths(rate * 0.9825),
      timestamp: atMs,
    },
  ]);
}

function inTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
