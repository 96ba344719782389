import { listIn } from '../../http/csv.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { ParameterSchema } from '../../http/read-query.ts';
import { sourceLabel } from '../../http/request-context.ts';
import { BASE_PATH, type Page } from '../../http/route.ts';
import { takesCsv } from '../../http/with-csv.ts';
import { failureBody } from '../../http/write.ts';
import { type Failure, failureCodes } from '../../platform/errors.ts';
import type { RestOptions, RestQuery } from '../mcp/rest.ts';
import { integrationPage, type IntegrationVisit } from './integration-page.ts';
import type { TapeBars } from './tape-bars.ts';
import { udfPages } from './udf.ts';

const BASE = '/openbb';
const CHART = 'chart';
const CHART_REFRESH_MS = 60_000;
/** Widgets refresh after the cache time of an answer, but no more often than this. */
const REFRESH_MS_MIN = 10_000;
const ROWS_WIDTH = 20;
const ROWS_HEIGHT = 12;
const APP_ROWS = 4;
/** The form of an answer is not for a widget to choose. */
const hidden: ReadonlySet<string> = new Set(['format']);

/** OpenBB Workspace at `/openbb`: a widget for every list, a chart, and an app with both. Endpoints are below it. */
export function openbbPages(options: RestOptions, tape: TapeBars): readonly Page[] {
  const lists = options.endpoints.filter(takesCsv);
  const failed = (failure: Failure) => {
    const { upstream, clock } = options.resources;
    const words = { source: sourceLabel(upstream, ['crosstape']), nowMs: clock.now() };
    const body = JSON.parse(failureBody(failure, words).toString()) as object;
    return { status: failureCodes[failure.code].status, body };
  };
  const page = (path: string, handle: (visit: IntegrationVisit) => unknown): Page =>
    integrationPage(options, { path: BASE + path, handle, failed });
  return [
    page('/widgets.json', () => ({
      [CHART]: chartWidget,
      ...Object.fromEntries(lists.map((one) => [widgetId(one), widgetOf(one)])),
    })),
    page('/apps.json', () => [appOf(lists)]),
    ...lists.map((one) =>
      // As it is: a long list takes longer to parse and print than the event loop may.
      page(BASE_PATH + one.path, ({ params, rest }) => rest.answer(one.path, given(params))),
    ),
    ...udfPages(options, tape, `${BASE}/udf`),
  ];
}

const chartWidget = {
  name: 'Price chart',
  description:
    'Candles of any recorded market, with gaps of the tape, large orders and liquidations as marks.',
  category: 'Crosstape',
  type: 'advanced_charting',
  endpoint: 'udf',
  gridData: { w: 2 * ROWS_WIDTH, h: 2 * ROWS_HEIGHT },
  data: { defaultSymbol: 'HYPERLIQUID:BTC', updateFrequency: CHART_REFRESH_MS },
};

/** Parameters of a widget, without empty ones. */
function given(params: URLSearchParams): RestQuery {
  return Object.fromEntries([...params].filter(([name, value]) => value !== '' && !hidden.has(name)));
}

function widgetId({ path }: Endpoint): string {
  return path.slice(1).replaceAll('/', '_').replaceAll('-', '_');
}

function widgetOf(endpoint: Endpoint) {
  const { path, summary, description, cacheSeconds, query, data, list } = endpoint;
  const { field, columns } = listIn(data, list) ?? { field: undefined, columns: [] };
  const refetchInterval = Math.max(REFRESH_MS_MIN, cacheSeconds * 1_000);
  const required = new Set(query.required as readonly string[] | undefined);
  const exampled = new URLSearchParams(endpoint.examples[0]?.search ?? '');
  return {
    name: summary,
    description,
    category: 'Crosstape',
    subCategory: path.split('/')[1] ?? '',
    type: 'table',
    endpoint: BASE_PATH.slice(1) + path,
    gridData: { w: ROWS_WIDTH, h: ROWS_HEIGHT },
    refetchInterval,
    staleTime: refetchInterval,
    data: {
      dataKey: field === undefined ? 'data' : `data.${field}`,
      table: {
        enableCharts: true,
        showAll: true,
        columnsDefs: columns.map(({ path: names, type }) => ({
          field: names.join('.'),
          headerName: names.join(' '),
          cellDataType: cellTypes[type] ?? 'text',
        })),
      },
    },
    params: Object.entries(query.properties as Readonly<Record<string, ParameterSchema>>)
      .filter(([name]) => !hidden.has(name))
      .map(([name, parameter]) => paramOf(name, parameter, required.has(name) ? exampled.get(name) : null)),
  };
}

const cellTypes: Readonly<Record<string, string>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

/** A parameter with its default; one that is required begins with the value of an example. */
function paramOf(name: string, parameter: ParameterSchema, example: string | null) {
  const { type, enum: values, default: usual } = parameter;
  const { description } = parameter as { readonly description?: string };
  const isNumber = type === 'number' || type === 'integer';
  return {
    paramName: name,
    label: name,
    description: description ?? '',
    type: isNumber ? 'number' : 'text',
    value: usual ?? example ?? '',
    ...(values && { options: values.map((value) => ({ label: value, value })) }),
  };
}

function appOf(lists: readonly Endpoint[]) {
  const shown = lists.filter(({ path }) => path.startsWith('/perps/')).slice(0, APP_ROWS);
  const layout = [
    { i: CHART, x: 0, y: 0, ...chartWidget.gridData },
    ...shown.map((one, i) => ({
      i: widgetId(one),
      x: (i % 2) * ROWS_WIDTH,
      y: 2 * ROWS_HEIGHT + Math.floor(i / 2) * ROWS_HEIGHT,
      w: ROWS_WIDTH,
      h: ROWS_HEIGHT,
    })),
  ];
  return {
    name: 'Crosstape',
    description: 'Price, open interest, funding and liquidations over all venues.',
    allowCustomization: true,
    tabs: { market: { id: 'market', name: 'Market', layout } },
    groups: [],
  };
}
