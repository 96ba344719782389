import type { MarketVenue } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { Page } from '../../http/route.ts';
import { RequestContext } from '../../http/request-context.ts';
import type { Context, Resources } from '../context.ts';
import { type ChosenTape, chosenTape } from '../market-tape/chosen-tape.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
import { streamArrow } from './stream-arrow.ts';

/**
 * The page size of flowsurface; a page never splits a millisecond, because the next one begins at the last `ts` + 1.
 */
const ROWS_DEFAULT = 400_000;
const ROWS_MAX = 1_000_000;
/** flowsurface names perpetuals of the primary venue by coin and quote: `btcusdc`. */
const PRIMARY_QUOTE = 'usdc';

const kinds = { linear: 'perp', spot: 'spot', inverse: undefined } as const satisfies Record<
  string,
  MarketVenue['kinds'][number] | undefined
>;

/** `/trades.arrow`: recorded trades for flowsurface. `from` and `to` are both included; unknown parameters are ignored. */
export function tradesArrowPage(resources: Resources): Page {
  return {
    path: '/trades.arrow',
    isCounted: true,
    async handle({ request, admission: { caller, address } }) {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const read = (name: string): string => {
        const value = searchParams.get(name);
        if (value !== null && value !== '') return value;
        throw new Failure('bad_request', `Parameter \`${name}\` is missing.`);
      };
      const from = wholeNumber('from', read('from'));
      const to = wholeNumber('to', read('to'));
      const limit = wholeNumber('limit', searchParams.get('limit') ?? String(ROWS_DEFAULT));
      if (from > to) throw new Failure('bad_request', `Parameter \`from\` must not be greater than \`to\`.`);
      if (limit === 0) throw new Failure('bad_request', 'Parameter `limit` must be at least 1.');
      const context: Context = new RequestContext(resources, { caller, address, accept: '' });
      const chosen = await findTape(context, {
        venue: read('venue').toLowerCase(),
        market: read('market').toLowerCase(),
        symbol: read('symbol').toLowerCase(),
      });
      return streamArrow(context, chosen, {
        columns: 'flow',
        market: '',
        fromTs: from,
        toTs: to + 1,
        rowsMax: Math.min(limit, ROWS_MAX),
      });
    },
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text)) return value;
  throw new Failure('bad_request', `Parameter \`${name}\` must be a whole number of at most 15 digits.`);
}

interface FlowMarket {
  readonly venue: string;
  /** `linear`, `spot` or `inverse`. */
  readonly market: string;
  readonly symbol: string;
}

async function findTape(context: Context, { venue, market, symbol }: FlowMarket): Promise<ChosenTape> {
  const { primaryVenue, markets } = context.resources;
  if (!Object.hasOwn(kinds, market))
    throw new Failure('bad_request', 'Parameter `market` must be spot, linear or inverse.');
  const kind = kinds[market as keyof typeof kinds];
  if (venue === primaryVenue && kind === 'perp' && symbol.endsWith(PRIMARY_QUOTE))
    return chosenTape(context, { coin: symbol.slice(0, -PRIMARY_QUOTE.length) });
  const found = (await markets?.list())?.find(
    (one) => one.venue === venue && one.kind === kind && isNamed(one, symbol),
  );
  if (!found) throw new Failure('not_found', `No ${market} market ${symbol} of ${venue} is recorded.`);
  return chosenTape(context, { market: found.id });
}

/** Whether a symbol, in lower case and perhaps without separators, is that of a market. */
function isNamed({ symbol }: StoredMarket, name: string): boolean {
  const own = symbol.toLowerCase();
  return own === name || own.replaceAll(/[-_/]/g, '') === name;
}
