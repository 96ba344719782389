import { perpVenues } from '../format/venues.ts';
import { type AlertRule, ANY_SOURCE, kindAbout, ruleText, severityOf } from './alert-rule.ts';

/** How a figure that `/metrics` does not have is read from the REST interface. */
interface Probe {
  readonly path: string;
  /** Of json_exporter: where the value is, or with labels where the rows are and what they hold. */
  readonly json: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, string>>;
  /** In PromQL, without the comparison. */
  readonly expr: (metric: string) => string;
  /** What differs from the check in the browser. */
  readonly note?: string;
}

const PCT_PER_YEAR = 876_000;

function probeOf({ kind, subject, value, minutes }: AlertRule): Probe | undefined {
  const coin = encodeURIComponent(subject);
  if (kind === 'price')
    return { path: `/perps/tickers?coins=${coin}`, json: '{ .data[0].mark }', expr: (name) => name };
  if (kind === 'funding')
    return {
      path: `/perps/funding?coins=${coin}`,
      json: '{ .data[0] }',
      labels: { venue: '{ .venue }' },
      values: { rate: '{ .rate }', hours: '{ .periodHours }' },
      expr: (name) => `${name}_rate / ${name}_hours * ${PCT_PER_YEAR}`,
    };
  if (kind === 'fundingSpread')
    return {
      path: `/perps/funding?coins=${coin}&venues=${perpVenues.join(',')}`,
      json: '{ .data[*] }',
      labels: { venue: '{ .venue }' },
      values: { rate: '{ .rate }', hours: '{ .periodHours }' },
      expr: (name) =>
        `(max(${name}_rate / ${name}_hours) - min(${name}_rate / ${name}_hours)) * ${PCT_PER_YEAR}`,
    };
  if (kind === 'venueSpread')
    return {
      path: `/flows/venue-spreads?coins=${coin}`,
      json: '{ .data[0].rows[*] }',
      labels: { venue: '{ .venue }' },
      values: { price: '{ .priceUsd }' },
      expr: (name) => `(max(${name}_price) / min(${name}_price) - 1) * 10000`,
    };
  if (kind === 'oi')
    return {
      path: `/perps/oi?coins=${coin}`,
      json: '{ .data[0].oiContracts }',
      expr: (name) => `(${name} / ${name} offset ${minutes}m - 1) * 100`,
    };
  if (kind === 'liquidations')
    return {
      path: `/perps/liquidations?coins=${coin}`,
      json: '{ .data[0] }',
      labels: { coin: '{ .coin }' },
      values: { long: '{ .long24hUsd }', short: '{ .short24hUsd }' },
      expr: (name) => `delta(${name}_long[${minutes}m]) + delta(${name}_short[${minutes}m])`,
      note: 'Growth of the 24-hour sum: liquidations of a day ago that leave it make it a little smaller.',
    };
  if (kind === 'whale')
    return {
      path: `/perps/whales?coin=${coin}&minUsd=${value}&limit=1`,
      json: '{ .data[0].ts }',
      expr: (name) => `changes(${name}[2m])`,
    };
  if (kind === 'cvd')
    return {
      path: `/candles?market=hyperliquid:${coin}&interval=1m&limit=${minutes}`,
      json: '{ .data[*] }',
      labels: { ts: '{ .ts }' },
      values: { volume: '{ .volume }', bought: '{ .buyVolume }', close: '{ .close }' },
      expr: (name) => `sum((2 * ${name}_bought - ${name}_volume) * ${name}_close)`,
      note: 'From candles of a minute, each valued at its close.',
    };
  if (kind === 'signal')
    return {
      path: `/flows/signals?coins=${coin}`,
      json: '{ .data[*] }',
      labels: { id: '{ .id }', severity: '{ .severity }' },
      values: { ts: '{ .ts }' },
      expr: (name) => `count(${name}_ts{severity=~"${value >= severityOf('hot') ? 'hot' : 'warm|hot'}"})`,
    };
  return undefined;
}

/** The same condition for Prometheus and Alertmanager, as text: what is checked without a browser. */
export function alertmanagerText(rule: AlertRule, root: string): string {
  const name = `crosstape_${rule.kind}_${rule.subject}`.replaceAll(/[^A-Za-z0-9]+/g, '_').toLowerCase();
  const probe = probeOf(rule);
  if (!probe) return ruleFile(rule, feedExpr(rule), `${Math.round(rule.value)}s`);
  const isCount = rule.kind === 'whale' || rule.kind === 'signal';
  const compared = isCount ? '> 0' : `${rule.side === 'above' ? '>=' : '<='} ${rule.value}`;
  return `# 1. json_exporter (github.com/prometheus-community/json_exporter), config.yml
modules:
  ${name}:
    metrics:
      - name: ${name}
${metricLines(probe)}
# 2. prometheus.yml: it scrapes the exporter, which asks the service
scrape_configs:
  - job_name: ${name}
    scrape_interval: 1m
    metrics_path: /probe
    params:
      module: [${name}]
      target: ['${root}/api/v1${probe.path}']
    static_configs:
      - targets: ['127.0.0.1:7979']

# 3. a file of rule_files
${probe.note ? `# ${probe.note}\n` : ''}${ruleFile(rule, `${probe.expr(name)} ${compared}`, '0s')}`;
}

function metricLines({ json, labels, values }: Probe): string {
  if (!values) return `        path: '${json}'\n        help: ${kindHelp}\n`;
  const lines = (fields: Readonly<Record<string, string>>): string =>
    Object.entries(fields)
      .map(([field, path]) => `          ${field}: '${path}'\n`)
      .join('');
  return `        type: object
        path: '${json}'
        labels:
${lines(labels ?? {})}        values:
${lines(values)}`;
}

const kindHelp = 'a figure of Crosstape';

function feedExpr({ subject }: AlertRule): string {
  const source = subject === ANY_SOURCE ? '' : `source=~"${subject.toLowerCase()}:.*",`;
  return `max by (source) (crosstape_source_status{${source}status!="ok",status!="idle"}) == 1`;
}

function ruleFile(rule: AlertRule, expr: string, forTime: string): string {
  const title = kindAbout[rule.kind].title.replaceAll(/\W/g, '');
  return `groups:
  - name: crosstape-alerts
    rules:
      - alert: Crosstape${title.charAt(0).toUpperCase()}${title.slice(1)}
        expr: ${expr}
        for: ${forTime}
        labels:
          severity: notify
        annotations:
          summary: '${ruleText(rule)}. Now: {{ $value }}'
`;
}
