import { positioningKey, positioningPeriods, type TableName, type Tables } from '@crosstape/core';
import {
  aggregatedVenues,
  allPublishers,
  coinalyzeWith,
  type Connector,
  type Feed,
  type Known,
  liquidationAggregator,
  type Lookup,
  type Page,
  type Publisher,
  type Refill,
  type Resource,
  type VenueRequest,
  venues,
} from '@crosstape/venues';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { answerAgeMs } from '../packages/server/src/ingest/answer-age.ts';
import { userAgent } from '../packages/server/src/platform/product.ts';
import { freshMsOf } from '../packages/server/src/topics.ts';
import { probeAddresses } from './probe-addresses.ts';
import { type Finding, judgeFigures } from './probe-sanity.ts';

/**
 * Asks every source of everybody who is connected once, live, and says whether it is understood, how old it is, and
 * whether its figures make sense against those of other venues. Fails when one does not, and at once without a network.
 * With the address of a simulator as argument it asks that one; a second argument is how long to wait for an answer, in
 * ms. Of bitcoin-data, which answers few requests a day, it spends five. Coinalyze is asked with the key in
 * COINALYZE_API_KEY, if there is one.
 */

const [simulator, timeoutText = '15000'] = process.argv.slice(2);
const TIMEOUT_MS = Number(timeoutText);
/** What a source that is polled every few seconds may be late by here: it is asked once, perhaps over a slow line. */
const AGE_MIN_MS = 120_000;
/** So many venues are tried before it is said that there is no network. */
const REACHED_MIN = 4;
const PAGES_MAX = 50;
/** Of a feed that takes its topics from a list, so many are tried: less than any venue minds at once. */
const TOPICS_MAX = 2;
const COIN = 'BTC';
/** Of what is told of one contract at a time, these are asked for. */
const COINS = [COIN, 'ETH', 'SOL'];
const REFUSED_SHARE_MAX = 0.05;

type Origins = Connector['origins'];
type MutableKnown = { -readonly [Name in TableName]?: Known[Name] };

function originsOf(venue: Publisher, connector: Connector): Origins {
  if (simulator === undefined) return connector.origins;
  const rest = `${simulator}/${venue.id}`;
  return { rest, ws: rest.replace(/^http/, 'ws') };
}

async function ask(
  { rest }: Origins,
  { method, path, headers, body }: VenueRequest,
  format?: 'text',
): Promise<Told> {
  const {
    statusCode,
    headers: told,
    body: answer,
  } = await request(`${rest}${path}`, {
    method,
    headers: {
      'user-agent': userAgent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${text.slice(0, 80)}`);
  return { answer: format === 'text' ? text : JSON.parse(text), ageMs: ageOf(told) };
}

interface Told {
  readonly answer: unknown;
  /** By what its headers say, where they say it. */
  readonly ageMs: number | undefined;
}

/** By how long a cache has held it, or by when it says that it was made. */
function ageOf({ date, age }: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const madeAtMs = Date.parse(String(date));
  return Number.isNaN(madeAtMs) ? undefined : Math.max(answerAgeMs(String(age)), Date.now() - madeAtMs);
}

/** In words; throws when it is older than its source's freshness limit. */
function agedWords(ages: readonly (number | undefined)[], source: Resource | Lookup): string {
  const known = ages.flatMap((ageMs) => ageMs ?? []);
  if (known.length === 0) return '';
  const ageMs = Math.max(...known);
  const limitMs = Math.max(AGE_MIN_MS, freshMsOf(source));
  if (ageMs > limitMs)
    throw new Error(`the answer is ${Math.round(ageMs / 1_000)} s old, more than ${limitMs / 1_000} s`);
  return `, ${(ageMs / 1_000).toFixed(1)} s old`;
}

/** Adds what it learns to `known`, and says how much that is. */
async function probeResource(origins: Origins, resource: Resource, known: MutableKnown): Promise<string> {
  const pages: Page[] = [];
  const ages: (number | undefined)[] = [];
  const { request: first, pagesMax = Number.POSITIVE_INFINITY } = resource;
  for (
    let next: VenueRequest | undefined = first;
    next && pages.length < pagesMax;
    next = pages.at(-1)?.more
  ) {
    if (pages.length === PAGES_MAX) throw new Error(`more than ${PAGES_MAX} pages`);
    const { answer, ageMs } = await ask(origins, next, resource.format);
    ages.push(ageMs);
    pages.push(resource.parse(answer, Date.now(), known, next.path));
  }
  return learn(resource.gives, pages, known) + agedWords(ages, resource);
}

/** Asks for a few coins, or for one outcome. */
async function probeLookup(origins: Origins, lookup: Lookup, known: MutableKnown): Promise<string> {
  const symbols = COINS.flatMap(
    (one) => (known.instruments ?? []).find(({ coin }) => coin === one)?.symbol ?? [],
  );
  const [question] = known.predictions ?? [];
  const tokenIds = question?.outcomes.map(({ tokenId }) => tokenId) ?? [];
  const elsewhere = aggregatedVenues.map((venue) => `${venue}:${COIN}`);
  const ratios = symbols.flatMap((symbol) =>
    positioningPeriods.flatMap((period) =>
      (['global', 'top'] as const).map((view) => positioningKey({ symbol, period, view })),
    ),
  );
  const asked = [COIN, ...symbols, ...ratios, ...tokenIds, ...elsewhere];
  const keys = lookup.keys(known, asked);
  const chosen = keys.filter((one) => asked.includes(one)).slice(0, COINS.length);
  if (chosen.length === 0) chosen.push(...keys.slice(0, 1));
  if (chosen.length === 0) throw new Error(`nothing to ask for, though ${COIN} was`);
  const pages: Page[] = [];
  const ages: (number | undefined)[] = [];
  for (const key of chosen) {
    const { answer, ageMs } = await ask(origins, lookup.request(key, Date.now()));
    ages.push(ageMs);
    pages.push(lookup.parse(answer, Date.now(), known, key));
  }
  return `${chosen.join(', ')}: ${learn(lookup.gives, pages, known)}${agedWords(ages, lookup)}`;
}

/** Asks for what a feed could have missed of one coin; that there was nothing is an answer. */
async function probeRefill(origins: Origins, refill: Refill, known: Known): Promise<string> {
  const keys = refill.keys(known);
  const key = keys.find((one) => one.startsWith(COIN)) ?? keys[0];
  if (key === undefined) throw new Error('nothing to ask for');
  const { frame, sinceMs } = refill.parse(
    (await ask(origins, refill.request(key))).answer,
    Date.now(),
    known,
    key,
  );
  const newestMs = Math.max(0, ...frame.liquidations.map(({ venueTs }) => venueTs));
  const newest = newestMs === 0 ? '' : `, the newest ${Date.now() - newestMs} ms old`;
  const since = sinceMs === 0 ? 'all there is' : `whole since ${new Date(sinceMs).toISOString()}`;
  return `${key}: ${frame.liquidations.length} liquidations${newest}, ${since}`;
}

function learn(gives: readonly TableName[], pages: readonly Page[], known: MutableKnown): string {
  const refused = pages.flatMap((page) => page.refused ?? []);
  const counts = gives.map((table) => {
    const rows = pages.flatMap((page): readonly Tables[TableName][] => page[table] ?? []);
    Object.assign(known, { [table]: [...(known[table] ?? []), ...rows] });
    return `${rows.length} ${table}`;
  });
  const rowCount = pages.flatMap((page) =>
    gives.flatMap((table): readonly unknown[] => page[table] ?? []),
  ).length;
  const unread = new Set(pages.flatMap((page) => page.unread ?? []));
  if (unread.size > 0) throw new Error(`${[...unread].join(', ')} not understood: ${refused[0]}`);
  // One odd row is no changed wire; many are.
  if (refused.length > REFUSED_SHARE_MAX * rowCount)
    throw new Error(`${refused.length} rows refused: ${refused[0]}`);
  if (refused.length > 0) counts.push(`${refused.length} refused (${refused[0]})`);
  if (counts.every((count) => count.startsWith('0 '))) throw new Error('no rows');
  return counts.join(', ');
}

/** Good when data come within the time; a feed that may be silent is good once it is subscribed. */
function probeFeed({ ws }: Origins, feed: Feed, known: Known): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${ws}${feed.path}`, {
      handshakeTimeout: TIMEOUT_MS,
      headers: { 'user-agent': userAgent, ...feed.headers },
    });
    const parse = feed.open(() => known);
    let subscribed = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.terminate();
      settle();
    };
    const timer = setTimeout(() => {
      if (subscribed > 0 && (feed.silentMaxMs === undefined || feed.isBursty))
        end(() => resolve(`${subscribed} subscribed, silent`));
      else end(() => reject(new Error(`${subscribed} subscribed, but nothing within ${TIMEOUT_MS} ms`)));
    }, TIMEOUT_MS);
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('open', () => {
      const busiest = (known.instruments ?? []).toSorted((a, b) => +(b.coin === COIN) - +(a.coin === COIN));
      const topics = feed.topics(
        busiest,
        busiest.map(({ coin }) => coin),
      );
      for (const topic of topics.slice(0, TOPICS_MAX)) socket.send(feed.subscribe([topic]));
    });
    socket.on('message', (data) => {
      const frame = parse((data as Buffer).toString());
      if (frame.kind === 'refused') end(() => reject(new Error(frame.why)));
      if (frame.kind === 'book') {
        const { bids, asks, venueTs } = frame.book;
        return end(() => resolve(`${bids.length} bids, ${asks.length} asks, ${Date.now() - venueTs} ms old`));
      }
      const isData = frame.kind === 'trades' || frame.kind === 'liquidations';
      // Where a back-fill comes first, it is what says that we are subscribed.
      if (frame.kind === 'subscribed' || (isData && frame.isBackfill)) subscribed += 1;
      if (!isData || frame.isBackfill) return;
      const records = frame.kind === 'trades' ? frame.trades : frame.liquidations;
      if (records.length === 0) return;
      const ageMs = Date.now() - Math.max(...records.map(({ venueTs }) => venueTs));
      end(() => resolve(`${records.length} ${frame.kind}, the newest ${ageMs} ms old`));
    });
  });
}

async function found(source: string, probe: () => Promise<string>): Promise<Finding> {
  try {
    return { source, isGood: true, told: await probe() };
  } catch (error) {
    const { message, code } = error as Error & { readonly code?: string };
    return { source, isGood: false, told: message || (code ?? String(error)) };
  }
}

interface Probed {
  readonly venue: Publisher;
  readonly known: Known;
  readonly findings: readonly Finding[];
}

/** Where a venue answers, and what was found where it has several addresses. */
async function findOrigins(
  venue: Publisher,
  connector: Connector,
): Promise<{ readonly origins: Origins; readonly findings: Finding[] }> {
  const origins = originsOf(venue, connector);
  const { otherRest, resources } = connector;
  const asked = resources.find(({ retryMs }) => retryMs === undefined);
  if (simulator !== undefined || !otherRest || !asked) return { origins, findings: [] };
  const { answering = origins.rest, finding } = await probeAddresses(
    `${venue.id} addresses`,
    [origins.rest, ...otherRest],
    (rest) => ask({ ...origins, rest }, asked.request, asked.format),
  );
  return { origins: { ...origins, rest: answering }, findings: [finding] };
}

/** A source that needs a table which could not be had is found wanting by itself. */
async function probeVenue(venue: Publisher, connector: Connector, heard: readonly Probed[]): Promise<Probed> {
  const { resources, lookups = [], feeds } = connector;
  const { origins, findings } = await findOrigins(venue, connector);
  // Books are asked for by what the venue itself tells.
  const predictions = heard.find((one) => one.venue.id === venue.venue)?.known.predictions;
  const known: MutableKnown = predictions ? { predictions } : {};
  const waiting = new Set<Resource>(resources);
  while (waiting.size > 0) {
    const isReady = ({ needs = [] }: Resource): boolean => needs.every((table) => known[table]);
    const next = [...waiting].find(isReady) ?? [...waiting][0];
    if (!next) break;
    waiting.delete(next);
    findings.push(await found(`${venue.id}:${next.name}`, () => probeResource(origins, next, known)));
  }
  for (const lookup of lookups)
    findings.push(await found(`${venue.id}:${lookup.name}`, () => probeLookup(origins, lookup, known)));
  // Where intervals are told one by one, rates mean something only now.
  const again = known.fundingPeriods && known.funding?.length === 0;
  for (const resource of again ? resources.filter(({ gives }) => gives.includes('funding')) : []) {
    const { instruments, fundingPeriods } = known;
    const fresh: MutableKnown = {
      ...(instruments && { instruments }),
      ...(fundingPeriods && { fundingPeriods }),
    };
    findings.push(await found(`${venue.id}:${resource.name}`, () => probeResource(origins, resource, fresh)));
    if (fresh.funding) known.funding = fresh.funding;
  }
  for (const feed of feeds) {
    const { refill } = feed;
    if (refill)
      findings.push(await found(`${venue.id}:${refill.name}`, () => probeRefill(origins, refill, known)));
    findings.push(await found(`${venue.id}:${feed.name}`, () => probeFeed(origins, feed, known)));
  }
  return { venue, known, findings };
}

/** Whether anybody at all can be reached: without a network every source would take its time to fail. */
async function hasNetwork(): Promise<boolean> {
  const asked = venues.slice(0, REACHED_MIN).flatMap((venue) => {
    const { connector } = venue;
    return connector
      ? [
          request(originsOf(venue, connector).rest, {
            headers: { 'user-agent': userAgent },
            signal: AbortSignal.timeout(TIMEOUT_MS),
          }),
        ]
      : [];
  });
  return Promise.any(asked).then(
    async ({ body }) => {
      await body.dump();
      return true;
    },
    () => false,
  );
}

const key = process.env['COINALYZE_API_KEY'] ?? '';
const publishers = allPublishers.map((one) =>
  one === liquidationAggregator && key !== '' ? coinalyzeWith(key) : one,
);
if (!(await hasNetwork())) {
  console.log('no venue can be reached: is there a network? Nothing was probed.');
  process.exit(1);
}
const connected = publishers.flatMap((venue) =>
  venue.connector ? [{ venue, connector: venue.connector }] : [],
);
// One that is a part of another is asked for what that one tells.
const apart = connected.filter(({ venue }) => venue.venue === undefined);
const parts = connected.filter(({ venue }) => venue.venue !== undefined);
const first = await Promise.all(apart.map(({ venue, connector }) => probeVenue(venue, connector, [])));
const second = await Promise.all(parts.map(({ venue, connector }) => probeVenue(venue, connector, first)));
const probed = [...first, ...second];
const figures = judgeFigures(
  probed.map(({ venue, known }) => ({ venue: venue.id, known })),
  Date.now(),
);
const findings = [...probed.flatMap((one) => one.findings), ...figures];
for (const { source, isGood, told } of findings)
  console.log(`${isGood ? 'ok  ' : 'BAD '} ${source.padEnd(54)} ${told}`);
const bad = findings.filter(({ isGood }) => !isGood).length;
console.log(bad === 0 ? 'every source is understood' : `${bad} of ${findings.length} findings are bad`);
process.exitCode = bad === 0 ? 0 : 1;
