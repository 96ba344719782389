import type { Page } from '../../http/route.ts';
import type { RestOptions } from '../mcp/rest.ts';
import { aggrPages } from './aggr.ts';
import { marketMetricsPage } from './market-metrics.ts';
import { openbbPages } from './openbb.ts';
import { TapeBars } from './tape-bars.ts';
import { udfPages } from './udf.ts';

/** All protocols of other programs. */
export function integrationPages(options: RestOptions): readonly Page[] {
  const tape = new TapeBars();
  return [
    ...udfPages(options, tape),
    ...aggrPages(options),
    marketMetricsPage(options),
    ...openbbPages(options, tape),
  ];
}
