import { catalog } from '@crosstape/venues';
import { Type } from 'typebox';
import { venueName } from '../../../http/parameter.ts';
import { rowsInput } from '../inputs.ts';
import type { Rest, RestMeta } from '../rest.ts';
import { tool } from '../tool.ts';
import { csv } from '../wording.ts';

const PAGE_SIZE = 500;
const PAGES_MAX = 8;
const ROWS_MAX = 200;
const ROWS = 50;
/** Venues with listed markets. */
const VENUES = catalog.filter(({ lists }) => lists.length > 0).map(({ id }) => id);
const RECORDED_FIELDS = [
  'market',
  'coin',
  'kind',
  'quote',
  'recordingSince',
  'trades24h',
  'sinceTs',
  'completeness24h',
];
const LISTED_FIELDS = ['exchange', 'symbol', 'coin', 'kind'];

interface Market {
  readonly symbol: string;
  readonly coin: string | null;
  readonly kind: string;
  /** Id of a recorded market. */
  readonly market?: string;
  readonly trades24h?: number | null;
}

interface Found {
  readonly markets: readonly Market[];
  readonly metas: readonly RestMeta[];
}

export const searchMarkets = tool({
  name: 'search_markets',
  title: 'Find markets',
  description:
    'Returns markets whose coin, symbol or id matches a text, as CSV. Without `venue`: every recorded market, with the id that get_bars and get_coverage take, since when it is recorded, its trades of 24 hours and how complete they are. With `venue`: everything that venue lists, with its own symbol, recorded or not. Use it to find the spelling of a market before calling other tools; the tools that take a coin accept the ticker alone. At most 200 rows; exact coins come first, then the most traded.',
  input: Type.Object(
    {
      query: Type.String({
        minLength: 1,
        maxLength: 64,
        allowed: 'a text of 1 to 64 characters',
        description: 'Part of a coin, symbol or market id, such as `BTC`; any case. Required.',
      }),
      venue: Type.Optional(
        Type.Unsafe<string>({
          ...venueName(VENUES),
          description: `Venue whose whole list is searched: ${VENUES.join(', ')}. Default: recorded markets.`,
        }),
      ),
      max_rows: rowsInput(ROWS_MAX, ROWS),
    },
    { additionalProperties: false },
  ),
  async call({ query, venue, max_rows: rowsMax = ROWS }, rest) {
    const wanted = query.toLowerCase();
    const { markets: all, metas } = venue === undefined ? await recorded(rest) : await listed(rest, venue);
    const found = all.filter(({ coin, symbol, market }) =>
      [coin, symbol, market].some((text) => text?.toLowerCase().includes(wanted)),
    );
    const isOther = ({ coin }: Market): number => (coin?.toLowerCase() === wanted ? 0 : 1);
    const markets = found
      .toSorted((a, b) => isOther(a) - isOther(b) || (b.trades24h ?? 0) - (a.trades24h ?? 0))
      .slice(0, rowsMax);
    const first = markets[0];
    const of = venue === undefined ? 'recorded markets' : `markets of ${venue}`;
    return {
      text: `${found.length} ${of} match ${query}${first ? `; the first is ${first.market ?? first.symbol} (${first.kind})` : ''}.`,
      csv: csv(markets, venue === undefined ? RECORDED_FIELDS : LISTED_FIELDS),
      ...(found.length > markets.length && {
        hint: `${markets.length} of ${found.length} rows: use a longer query or raise max_rows.`,
      }),
      metas,
      units: {
        trades24h: 'trades',
        completeness24h: 'share of time, 0 to 1',
        recordingSince: 'ms since the Unix epoch',
        sinceTs: 'ms since the Unix epoch',
      },
      figures: { ...(venue !== undefined && { venue }), markets },
    };
  },
});

async function recorded(rest: Rest): Promise<Found> {
  const { data, meta } = await rest.get<readonly Market[]>('/markets/recorded');
  return { markets: data, metas: [meta] };
}

/** Everything that a venue lists. */
async function listed(rest: Rest, venue: string): Promise<Found> {
  const markets: Market[] = [];
  const metas: RestMeta[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { exchange: venue, page, pageSize: PAGE_SIZE };
    const { data, meta } = await rest.get<{ readonly markets?: readonly Market[]; readonly total?: number }>(
      '/markets',
      query,
    );
    metas.push(meta);
    markets.push(...(data.markets ?? []));
    if ((page + 1) * PAGE_SIZE >= (data.total ?? 0)) break;
  }
  return { markets, metas };
}
