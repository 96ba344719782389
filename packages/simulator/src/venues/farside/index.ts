import { isBareAgent } from '../bare-agent.ts';
import { botWall } from '../bot-wall.ts';
import { simulateVenue } from '../run-wire.ts';
import type { WireRoute } from '../wire.ts';
import { FUND_TABLES, type FundTable } from './funds.ts';
import { printPage } from './page.ts';

const RECENT_ROWS = 15;

/** Programs that do not identify themselves are blocked; a fault blocks any page [M]. */
function pageRoute(path: string, table: FundTable, rows?: number): WireRoute {
  return {
    path,
    answer({ market, nowMs, headers, surgeTimes }) {
      if (isBareAgent(headers['user-agent'])) return botWall(403);
      const { seed } = market.market;
      const body = printPage({ seed, nowMs, table, rows, surgeTimes });
      return { status: 200, type: 'text/html', body };
    },
  };
}

/** Farside's pages of ETF flows: the whole history, and the last days. */
export const farside = simulateVenue({
  shape: { id: 'farside', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: [
    pageRoute('/bitcoin-etf-flow-all-data/', FUND_TABLES.bitcoin),
    pageRoute('/ethereum-etf-flow-all-data/', FUND_TABLES.ethereum),
    pageRoute('/btc/', FUND_TABLES.bitcoin, RECENT_ROWS),
    pageRoute('/eth/', FUND_TABLES.ethereum, RECENT_ROWS),
  ],
  // Not documented; a client that requests more often is not a reader.
  limits: [{ name: 'visits', spanMs: 600_000, max: 10 }],
  overLimit: () => ({ status: 429, type: 'text/html', body: '<html><body>Too many requests</body></html>' }),
  notFound: { status: 404, type: 'text/html', body: '<html><body>Page not found</body></html>' },
  sockets: [],
});
