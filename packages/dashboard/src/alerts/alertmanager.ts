import { type AlertRule, ANY_SOURCE, isOfMarket, kindAbout, ruleText, severityOf } from './alert-rule.ts';

/** Percent a year of a fraction in 8 hours. */
const YEARLY_OF_8H = 109_500;
const PRIMARY = 'venue="hyperliquid"';

/** Kinds that `/metrics/market` has figures of, in PromQL without the comparison. */
function marketExpr(rule: AlertRule): string | undefined {
  if (isOfMarket(rule)) return undefined;
  const { kind, subject, minutes, side, venue } = rule;
  const coin = `coin="${subject}"`;
  const own = `{${PRIMARY},${coin}}`;
  if (kind === 'price') return `crosstape_mark_price_usd${own}`;
  const rates = `crosstape_funding_rate_8h{${coin}}`;
  if (kind === 'funding') {
    const of = venue === undefined ? PRIMARY : `venue="${venue}"`;
    const rate = `crosstape_funding_rate_8h{${of},${coin}}`;
    const every = side === 'above' ? `max(${rates})` : `min(${rates})`;
    return `${venue === 'any' ? every : rate} * ${YEARLY_OF_8H}`;
  }
  if (kind === 'fundingSpread') return `(max(${rates}) - min(${rates})) * ${YEARLY_OF_8H}`;
  const interest = `crosstape_open_interest_usd${own}`;
  const mark = `crosstape_mark_price_usd${own}`;
  const contracts = (offset: string): string => `(${interest}${offset} / ${mark}${offset})`;
  if (kind === 'oi') return `(${contracts('')} / ${contracts(` offset ${minutes}m`)} - 1) * 100`;
  if (kind === 'liquidations') return `sum(increase(crosstape_liquidations_usd_total{${coin}}[${minutes}m]))`;
  const volume = (taker: string): string =>
    `sum(increase(crosstape_trade_volume_usd_total{${PRIMARY},${coin},side="${taker}"}[${minutes}m]))`;
  return kind === 'cvd' ? `${volume('buy')} - ${volume('sell')}` : undefined;
}

/** How other figures are read from the REST interface by json_exporter. */
interface Probe {
  readonly path: string;
  /** Where the rows are, their labels and their value. */
  readonly rows: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
  readonly expr: (metric: string) => string;
}

function probeOf({ kind, subject, side, value }: AlertRule): Probe | undefined {
  const coin = encodeURIComponent(subject);
  if (kind === 'price')
    return {
      path: `/candles?market=${coin}&interval=1m&limit=1`,
      rows: '{ .data[*] }',
      labels: { origin: '{ .origin }' },
      value: '{ .close }',
      expr: (name) => `${name} ${side === 'above' ? '>=' : '<='} ${value}`,
    };
  if (kind === 'venueSpread')
    return {
      path: `/flows/venue-spreads?coins=${coin}`,
      rows: '{ .data[0].rows[*] }',
      labels: { venue: '{ .venue }' },
      value: '{ .priceUsd }',
      expr: (name) => `(max(${name}) / min(${name}) - 1) * 10000 >= ${value}`,
    };
  if (kind === 'whale')
    return {
      path: `/perps/whales?coin=${coin}&minUsd=${value}&limit=1`,
      rows: '{ .data[*] }',
      labels: { coin: '{ .coin }' },
      value: '{ .ts }',
      expr: (name) => `changes(${name}[2m]) > 0`,
    };
  const severities = value >= severityOf('hot') ? 'hot' : 'warm|hot';
  return kind === 'signal'
    ? {
        path: `/flows/signals?coins=${coin}`,
        rows: '{ .data[*] }',
        labels: { id: '{ .id }', severity: '{ .severity }' },
        value: '{ .ts }',
        expr: (name) => `count(${name}{severity=~"${severities}"}) > 0`,
      }
    : undefined;
}

/** Whether Prometheus can check the condition: the service has no metrics of indicators. */
export function isMetric({ kind }: Pick<AlertRule, 'kind'>): boolean {
  return kind !== 'indicator';
}

/** The same condition for Prometheus and Alertmanager, as text: for checks without a browser. */
export function alertmanagerText(rule: AlertRule, root: string): string {
  const { kind, subject, side, value } = rule;
  const expr = marketExpr(rule);
  if (expr !== undefined)
    return `# 1. prometheus.yml: figures of the market
scrape_configs:
  - job_name: crosstape-market
    metrics_path: /metrics/market
    params:
      coins: ['${subject}']
    static_configs:
      - targets: ['${new URL(root).host}']

# 2. a file of rule_files
${ruleFile(rule, `${expr} ${side === 'above' ? '>=' : '<='} ${value}`, '0s')}`;
  const probe = probeOf(rule);
  if (!probe) return ruleFile(rule, feedExpr(rule), `${Math.round(value)}s`);
  const name = `crosstape_${kind}_${subject}`.replaceAll(/[^A-Za-z0-9]+/g, '_').toLowerCase();
  const labels = Object.entries(probe.labels).map(([label, path]) => `          ${label}: '${path}'\n`);
  return `# 1. json_exporter (github.com/prometheus-community/json_exporter), config.yml
modules:
  ${name}:
    metrics:
      - name: ${name}
        type: object
        path: '${probe.rows}'
        labels:
${labels.join('')}        values:
          value: '${probe.value}'

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
${ruleFile(rule, probe.expr(`${name}_value`), '0s')}`;
}

function feedExpr({ subject }: AlertRule): string {
  const source = subject === ANY_SOURCE ? '' : `source=~"${subject.toLowerCase()}:.*",`;
  return `max by (source) (crosstape_source_status{${source}status!="ok",status!="idle"}) == 1`;
}

function ruleFile(rule: AlertRule, expr: string, forTime: string): string {
  const title = kindAbout[rule.kind].title.replaceAll(/\W/g, '');
  return `groups:
  - name: crosstape-alerts
    rules:
      - alert: Crosstape${title}
        expr: ${expr}
        for: ${forTime}
        labels:
          severity: notify
        annotations:
          summary: '${ruleText(rule)}. Now: {{ $value }}'
`;
}
