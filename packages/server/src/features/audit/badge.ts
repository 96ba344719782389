import { DAY_MS, type HourAudit } from '@crosstape/core';
import { escapeHtml } from '../../http/escape-html.ts';
import { RequestContext } from '../../http/request-context.ts';
import type { Page, PageReply } from '../../http/route.ts';
import { Failure } from '../../platform/errors.ts';
import { chosenMarket } from '../candles/candle-market.ts';
import type { Context, Resources } from '../context.ts';
import type { Stretch } from '../tape/coverage.ts';

const CACHE_SECONDS = 300;
/** Width of a character of the badge's font at its size. */
const CHAR_PX = 6.6;
const PAD_PX = 10;
const colors = { good: '#2e7d32', fair: '#b26a00', bad: '#c62828', none: '#616161' } as const;
/** Complete for this share of the day. */
const GOOD_PCT = 99.9;

/** `/badge/completeness.svg?market=`: how complete the last day of a market is, and whether the venue agrees. */
export function badgePage(resources: Resources): Page {
  return {
    path: '/badge/completeness.svg',
    isCounted: true,
    async handle({ request, admission: { caller, address } }) {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const name = searchParams.get('market') ?? '';
      if (name === '') throw new Failure('bad_request', 'Parameter `market` is missing.');
      const context: Context = new RequestContext(resources, { caller, address, accept: '' });
      const market = await chosenMarket(context, name);
      const { nowMs } = context;
      const stretches = await market.coverage.stretches(market.symbol, nowMs - DAY_MS, nowMs);
      const hours = await resources.audits.hours(market.id, nowMs - DAY_MS, nowMs);
      return badge(market.id, ...statementOf(stretches, hours));
    },
  };
}

/** The text of a badge for a day. */
export function statementOf(
  stretches: readonly Stretch[],
  hours: readonly Pick<HourAudit, 'verdict'>[],
): readonly [text: string, color: string] {
  const msOf = (some: readonly Stretch[]): number => some.reduce((sum, { from, to }) => sum + to - from, 0);
  const whole = stretches.filter(({ state }) => state === 'complete' || state === 'refilled');
  if (msOf(stretches) === 0 || msOf(whole) === 0) return ['not recorded', colors.none];
  const pct = (100 * msOf(whole)) / DAY_MS;
  // Never rounded up to all of it.
  const share = `${(Math.floor(pct * 100) / 100).toString()} %`;
  const differing = hours.filter(({ verdict }) => verdict === 'differs').length;
  if (differing > 0) return [`${share}, ${differing} h differ`, colors.bad];
  const agreed = hours.filter(({ verdict }) => verdict === 'equal' || verdict === 'within').length;
  const audited = agreed > 0 ? `, ${agreed} h audited` : '';
  return [`${share}${audited}`, pct >= GOOD_PCT ? colors.good : colors.fair];
}

function badge(label: string, text: string, color: string): PageReply {
  const [left, right] = [label, text].map((part) => Math.ceil(part.length * CHAR_PX) + PAD_PX) as [
    number,
    number,
  ];
  const [a, b] = [label, text].map(escapeHtml) as [string, string];
  const width = left + right;
  const at = (x: number, part: string): string => `<text x="${x}" y="14" text-anchor="middle">${part}</text>`;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${a}: ${b}"><title>${a}: ${b}</title><clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#37474f"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${at(left / 2, a)}${at(left + right / 2, b)}</g></svg>`;
  return {
    status: 200,
    contentType: 'image/svg+xml',
    body,
    headers: ['Cache-Control', `public, max-age=${CACHE_SECONDS}`],
  };
}
