import { MINUTE_MS } from '@crosstape/core';
import type { VenueAnswer } from '../venue-simulator.ts';
import { type Question, Reply } from '../wire.ts';

/** {"retCode":0,"retMsg":"OK","result":{…},"retExtInfo":{},"time":1735809771618} [D] */
export function success(result: unknown, nowMs: number): Reply {
  return new Reply({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: nowMs });
}

/** Errors have HTTP status 200 [D]. */
export function refusal(retCode: number, retMsg: string, nowMs: number): Reply {
  return new Reply({ retCode, retMsg, result: {}, retExtInfo: {}, time: nowMs });
}

/** {"retCode":10001,"retMsg":"Not supported symbols","result":{},"retExtInfo":{},"time":1726147060461} [C] */
export function unknownSymbol(nowMs: number): Reply {
  return refusal(10_001, 'Not supported symbols', nowMs);
}

const CATEGORIES: readonly (string | null)[] = ['linear', 'inverse', 'spot', 'option'];

/** The requested category; the simulated venue has only `linear`. The texts are a guess [K]. */
export function categoryOf({ query, nowMs }: Question): { readonly category: string } | Reply {
  const category = query.get('category');
  return category !== null && CATEGORIES.includes(category)
    ? { category }
    : refusal(10_001, 'params error: Category is invalid', nowMs);
}

/** Lengths of the intervals that statistics have [D]. */
export const INTERVALS: Readonly<Record<string, number>> = {
  '5min': 5 * MINUTE_MS,
  '15min': 15 * MINUTE_MS,
  '30min': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
};

/** An integer within the documented bounds, or what was wrong with it [K: the texts]. */
export function limitOf({ query, nowMs }: Question, defaults: number, max: number): number | Reply {
  const text = query.get('limit');
  const limit = text === null ? defaults : Number(text);
  const isWithin = Number.isInteger(limit) && limit >= 1 && limit <= max;
  return isWithin ? limit : refusal(10_001, `params error: limit must be within 1 and ${max}`, nowMs);
}

/** The requested time span. A start without an end is refused [K: the texts]. */
export function windowOf(
  { query, nowMs }: Question,
  limit: number,
): { readonly fromMs: number; readonly toMs: number; readonly limit: number } | Reply {
  const [start, end] = [query.get('startTime'), query.get('endTime')];
  if (start !== null && end === null) return refusal(10_001, 'params error: endTime is required', nowMs);
  const [fromMs, toMs] = [Number(start ?? 0), Number(end ?? nowMs)];
  if (!Number.isInteger(fromMs) || !Number.isInteger(toMs))
    return refusal(10_001, 'params error: startTime or endTime is invalid', nowMs);
  return { fromMs, toMs: Math.min(nowMs, toMs), limit };
}

/** "403, access too frequent": an IP over 600 requests in 5 s [D]. */
export const TOO_FREQUENT: VenueAnswer = {
  status: 403,
  type: 'text/plain',
  body: 'access too frequent',
};

/** Sent in a 200, without a time: the message for callers over the limit. */
export const TOO_MANY_VISITS: VenueAnswer = {
  status: 200,
  type: 'application/json',
  body: '{"retCode":10006,"retMsg":"Too many visits!","result":{},"retExtInfo":{},"time":0}',
};

export const NOT_FOUND: VenueAnswer = { status: 404, type: 'text/plain', body: '404 page not found' };
