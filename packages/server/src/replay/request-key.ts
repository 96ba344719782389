import { redactJson, redactQuery } from '../capture/redact.ts';

/** From 2015 to 2100, in ms. Other numbers are not times. */
const TIME_MIN_MS = Date.UTC(2015, 0);
const TIME_MAX_MS = Date.UTC(2100, 0);
/** Ms per unit, by number of digits. */
const TIME_UNITS: Readonly<Record<number, number>> = { 10: 1_000, 13: 1, 16: 1e-3, 19: 1e-6 };
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const TIME = '<time>';
/** Parameters that limit the rows of an answer: parsers drop surplus rows. */
const COUNT_NAME = /^(limit|size|count|page_?size)$/i;
const COUNT = '<count>';

/** The keys under which a replay looks up a request. */
export interface RequestKey {
  /** Equal for equal requests, in any order of parameters. */
  readonly exact: string;
  /** Equal for requests that differ only in their times and number of rows. */
  readonly timeless: string;
  /** Those times, in order. */
  readonly timesMs: readonly number[];
}

export function requestKey(venue: string, method: string, path: string, body = ''): RequestKey {
  const [before = '', query = ''] = redactQuery(path).split(/\?(.*)/s, 2);
  const parameters = query === '' ? [] : query.split('&').map(decodeParameter).toSorted(byName);
  const json = sortedJson(redactJson(body));
  const timesMs: number[] = [];
  const withoutTime = (value: string): string => {
    const ms = readTime(value);
    if (ms !== undefined) timesMs.push(ms);
    return ms === undefined ? value : TIME;
  };
  const start = `${venue} ${method} ${before}`;
  const withoutCount = (name: string, value: string): string =>
    COUNT_NAME.test(name) ? COUNT : withoutTime(value);
  const timeless = parameters.map(([name, value]) => `${name}=${withoutCount(name, value)}`).join('&');
  const timelessBody = json.replaceAll(/"[^"\\]*"|\d{10,19}/g, (token) => {
    const value = token.startsWith('"') ? token.slice(1, -1) : token;
    return withoutTime(value) === TIME ? TIME : token;
  });
  return {
    exact: `${start}?${parameters.map((parameter) => parameter.join('=')).join('&')} ${json}`,
    timeless: `${start}?${timeless} ${timelessBody}`,
    timesMs,
  };
}

function readTime(text: string): number | undefined {
  const unit = /^\d+$/.test(text) ? TIME_UNITS[text.length] : undefined;
  const ms = unit === undefined ? (ISO_TIME.test(text) ? Date.parse(text) : Number.NaN) : Number(text) * unit;
  return ms >= TIME_MIN_MS && ms < TIME_MAX_MS ? ms : undefined;
}

function decodeParameter(parameter: string): readonly [string, string] {
  const [name = '', value = ''] = parameter.split(/=(.*)/s, 2);
  try {
    return [decodeURIComponent(name), decodeURIComponent(value.replaceAll('+', ' '))];
  } catch {
    return [name, value];
  }
}

function byName([a, av]: readonly [string, string], [b, bv]: readonly [string, string]): number {
  return `${a}=${av}` < `${b}=${bv}` ? -1 : 1;
}

function sortedJson(body: string): string {
  if (body === '') return '';
  try {
    return JSON.stringify(JSON.parse(body), (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return body;
  }
}
