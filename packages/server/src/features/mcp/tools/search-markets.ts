import { catalog } from '@crosstape/venues';
import { Type } from 'typebox';
import { rowsInput } from '../inputs.ts';
import { tool } from '../tool.ts';
import { csv } from '../wording.ts';

const PAGE_SIZE = 500;
const PAGES_MAX = 8;
const ROWS_MAX = 200;
const ROWS = 50;
/** Those whose markets are listed. */
const VENUES = catalog.filter(({ lists }) => lists.length > 0).map(({ id }) => id);

interface Market {
  readonly exchange: string;
  readonly symbol: string;
  readonly coin: string | null;
  readonly kind: string;
}

interface Page {
  readonly markets?: readonly Market[];
  readonly total?: number;
}

export const searchMarkets = tool({
  name: 'search_markets',
  title: 'Find markets',
  description:
    "Returns the markets of one venue whose coin or symbol matches a text, as CSV: venue, the venue's own symbol, coin and kind. Use it to find the spelling of a market before calling other tools; the tools that take a coin accept the ticker alone. At most 200 rows; exact coins come first. The catalog is refreshed in the background, and a venue that is down returns an error.",
  input: Type.Object(
    {
      query: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Part of a coin or symbol, such as `BTC`; any case. Required.',
      }),
      venue: Type.Optional(
        Type.Union(
          VENUES.map((one) => Type.Literal(one)),
          {
            default: 'hyperliquid',
            description: `Venue to search: ${VENUES.join(', ')}. Default: hyperliquid.`,
          },
        ),
      ),
      max_rows: rowsInput(ROWS_MAX, ROWS),
    },
    { additionalProperties: false },
  ),
  async call({ query, venue = 'hyperliquid', max_rows: rowsMax = ROWS }, rest) {
    const wanted = query.toLowerCase();
    const found: Market[] = [];
    const metas = [];
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { data, meta } = await rest.get<Page>('/markets', { exchange: venue, page, pageSize: PAGE_SIZE });
      metas.push(meta);
      found.push(
        ...(data.markets ?? []).filter(({ coin, symbol }) =>
          [coin, symbol].some((text) => text?.toLowerCase().includes(wanted)),
        ),
      );
      if ((page + 1) * PAGE_SIZE >= (data.total ?? 0)) break;
    }
    const isExact = ({ coin }: Market): number => (coin?.toLowerCase() === wanted ? 0 : 1);
    const markets = found.toSorted((a, b) => isExact(a) - isExact(b)).slice(0, rowsMax);
    return {
      text: `${found.length} markets of ${venue} match ${query}${markets[0] ? `; the first is ${markets[0].symbol} (${markets[0].kind})` : ''}.`,
      csv: csv(markets, ['exchange', 'symbol', 'coin', 'kind']),
      ...(found.length > markets.length && {
        hint: `${markets.length} of ${found.length} rows: use a longer query or raise max_rows.`,
      }),
      metas,
      units: {},
      figures: { venue, markets },
    };
  },
});
