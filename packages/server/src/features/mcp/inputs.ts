import { Type } from 'typebox';

const NAME = '^[^\\s,\\u0000-\\u001f\\u007f-\\u009f]{1,64}$';

export const coinInput = Type.String({
  pattern: NAME,
  allowed: 'a ticker of 1 to 64 characters, such as BTC',
  description: 'Ticker of the coin, such as `BTC` or `kPEPE`; any case. Required.',
});

export const marketInput = Type.String({
  pattern: NAME,
  allowed: 'a market of 1 to 64 characters, such as hyperliquid:BTC',
  description:
    'Market as `venue:symbol`, such as `hyperliquid:BTC`; a bare ticker means the primary venue. Required.',
});

/** The last moment that can be written as a date. */
const TIME_MAX_MS = 8_640_000_000_000_000;

export const timeInput = (what: string, fallback: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TIME_MAX_MS,
      description: `${what}, in milliseconds since the Unix epoch. Default: ${fallback}.`,
    }),
  );

export const rowsInput = (most: number, fallback: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      default: fallback,
      description: `Most rows to return, 1 to ${most}. Default: ${fallback}.`,
    }),
  );

const PRIMARY_NAMES = ['hyperliquid', 'hl', 'venue_a'];

/** The tape of a market, as `/coverage` takes it, and the id of the market. */
export function tapeOf(market: string): {
  readonly id: string;
  readonly query: { coin: string } | { market: string };
} {
  const [venue = '', symbol = ''] = market.includes(':') ? market.split(/:(.*)/s) : ['hyperliquid', market];
  return PRIMARY_NAMES.includes(venue.toLowerCase()) && symbol !== ''
    ? { id: `hyperliquid:${symbol}`, query: { coin: symbol } }
    : { id: market, query: { market } };
}
