import { createCoinMatcher, priceInUnit, type TableName, type Tables } from '@crosstape/core';
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
  primaryVenue,
  type Publisher,
  type Refill,
  type Resource,
  type VenueRequest,
} from '@crosstape/venues';
import { request } from 'undici';
import { WebSocket } from 'ws';

/**
 * Asks every source of everybody who is connected once, live, and says whether it is understood and makes sense. Fails
 * when one does not. With the address of a simulator as argument it asks that one. Of bitcoin-data, which answers few
 * requests a day, it spends five. Coinalyze is asked with the key in COINALYZE_API_KEY, if there is one.
 */

const TIMEOUT_MS = 15_000;
const PAGES_MAX = 50;
/** Of a feed that takes its topics from a list, so many are tried: less than any venue minds at once. */
const TOPICS_MAX = 2;
/** Venues are never so far from each other in the price of a coin; a wrong unit is much further. */
const PRICE_APART_MAX = 0.05;
const COIN = 'BTC';

interface Finding {
  readonly source: string;
  readonly isGood: boolean;
  readonly told: string;
}

type Origins = Connector['origins'];
type MutableKnown = { -readonly [Name in TableName]?: Known[Name] };

const simulator = process.argv[2];

function originsOf(venue: Publisher, connector: Connector): Origins {
  if (simulator === undefined) return connector.origins;
  const rest = `${simulator}/${venue.id}`;
  return { rest, ws: rest.replace(/^http/, 'ws') };
}

async function ask(
  { rest }: Origins,
  { method, path, headers, body }: VenueRequest,
  format?: 'text',
): Promise<unknown> {
  const { statusCode, body: answer } = await request(`${rest}${path}`, {
    method,
    headers: {
      'user-agent': 'crosstape',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}: ${text.slice(0, 80)}`);
  return format === 'text' ? text : JSON.parse(text);
}

/** Adds what it learns to `known`, and says how much that is. */
async function probeResource(origins: Origins, resource: Resource, known: MutableKnown): Promise<string> {
  const pages: Page[] = [];
  for (let next: VenueRequest | undefined = resource.request; next; next = pages.at(-1)?.more) {
    if (pages.length === PAGES_MAX) throw new Error(`more than ${PAGES_MAX} pages`);
    pages.push(resource.parse(await ask(origins, next, resource.format), Date.now(), known, next.path));
  }
  return learn(resource.gives, pages, known);
}

/** Asks for one coin, or for one outcome. */
async function probeLookup(origins: Origins, lookup: Lookup, known: MutableKnown): Promise<string> {
  const symbols = (known.instruments ?? []).filter(({ coin }) => coin === COIN).map(({ symbol }) => symbol);
  const [question] = known.predictions ?? [];
  const tokenIds = question?.outcomes.map(({ tokenId }) => tokenId) ?? [];
  const elsewhere = aggregatedVenues.map((venue) => `${venue}:${COIN}`);
  const asked = [COIN, ...symbols.flatMap((symbol) => [symbol, `${symbol} 1h`]), ...tokenIds, ...elsewhere];
  const keys = lookup.keys(known, asked);
  const key = keys.find((one) => asked.includes(one)) ?? keys[0];
  if (key === undefined) throw new Error(`nothing to ask for, though ${COIN} was`);
  const page = lookup.parse(await ask(origins, lookup.request(key, Date.now())), Date.now(), known, key);
  return `${key}: ${learn(lookup.gives, [page], known)}`;
}

/** Asks for what a feed could have missed of one coin; that there was nothing is an answer. */
async function probeRefill(origins: Origins, refill: Refill, known: Known): Promise<string> {
  const keys = refill.keys(known);
  const key = keys.find((one) => one.startsWith(COIN)) ?? keys[0];
  if (key === undefined) throw new Error('nothing to ask for');
  const { frame, sinceMs } = refill.parse(await ask(origins, refill.request(key)), Date.now(), known, key);
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
  if (refused.length > 0) throw new Error(`${refused.length} rows refused: ${refused[0]}`);
  if (counts.every((count) => count.startsWith('0 '))) throw new Error('no rows');
  return counts.join(', ');
}

/** Good when data come within the time; a feed that may be silent is good once it is subscribed. */
function probeFeed({ ws }: Origins, feed: Feed, known: Known): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${ws}${feed.path}`, {
      handshakeTimeout: TIMEOUT_MS,
      ...(feed.headers ? { headers: feed.headers } : {}),
    });
    const parse = feed.open(() => known);
    let subscribed = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.terminate();
      settle();
    };
    const timer = setTimeout(() => {
      if (subscribed > 0 && feed.silentMaxMs === undefined)
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
      for (const topic of topics.slice(0, TOPICS_MAX)) socket.send(feed.subscribe(topic));
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

/** A source that needs a table which could not be had is found wanting by itself. */
async function probeVenue(venue: Publisher, connector: Connector, heard: readonly Probed[]): Promise<Probed> {
  const { resources, lookups = [], feeds } = connector;
  const origins = originsOf(venue, connector);
  // Books are asked for by what the venue itself tells.
  const predictions = heard.find((one) => one.venue.id === venue.venue)?.known.predictions;
  const known: MutableKnown = predictions ? { predictions } : {};
  const findings: Finding[] = [];
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
  for (const feed of feeds) {
    const { refill } = feed;
    if (refill)
      findings.push(await found(`${venue.id}:${refill.name}`, () => probeRefill(origins, refill, known)));
    findings.push(await found(`${venue.id}:${feed.name}`, () => probeFeed(origins, feed, known)));
  }
  return { venue, known, findings };
}

/** Every price of a venue against the primary's, in its units: what is far away is in a wrong one, or another coin. */
function compareUnits(probed: readonly Probed[]): readonly Finding[] {
  const primary = probed.find(({ venue }) => venue.id === primaryVenue.id)?.known.prices ?? [];
  const marks = new Map(primary.map(({ coin, mark }) => [coin, mark]));
  const matcher = createCoinMatcher(marks.keys());
  return probed.flatMap(({ venue, known: { prices = [], spotTickers = [] } }) => {
    const dollars = spotTickers.filter(({ quote }) => quote.startsWith('USD'));
    const told = [
      ...prices.map(({ coin, symbol, mark }) => ({ coin, symbol, price: mark })),
      ...dollars.map(({ coin, symbol, last }) => ({ coin, symbol, price: last })),
    ];
    const compared = told.flatMap(({ coin: base, symbol, price }) => {
      const { coin, unit } = matcher.match(base);
      const mark = marks.get(coin);
      return mark === undefined ? [] : [{ symbol, ratio: priceInUnit(price, unit) / mark }];
    });
    if (venue.id === primaryVenue.id || compared.length === 0) return [];
    const apart = compared.filter(({ ratio }) => Math.abs(Math.log(ratio)) > PRICE_APART_MAX);
    const worst = apart
      .map(({ symbol, ratio }) => `${symbol} is ${ratio.toPrecision(3)} times it`)
      .join(', ');
    const summary = `${compared.length} prices against ${primaryVenue.id}${worst && `: ${worst}`}`;
    return [{ source: `${venue.id} units`, isGood: apart.length === 0, told: summary }];
  });
}

const key = process.env['COINALYZE_API_KEY'] ?? '';
const publishers = allPublishers.map((one) =>
  one === liquidationAggregator && key !== '' ? coinalyzeWith(key) : one,
);
const probed: Probed[] = [];
for (const venue of publishers)
  if (venue.connector) probed.push(await probeVenue(venue, venue.connector, probed));
const findings = [...probed.flatMap((one) => one.findings), ...compareUnits(probed)];
for (const { source, isGood, told } of findings)
  console.log(`${isGood ? 'ok  ' : 'BAD '} ${source.padEnd(32)} ${told}`);
const bad = findings.filter(({ isGood }) => !isGood).length;
if (bad === findings.length) console.log('no source answered: is there a network?');
else console.log(bad === 0 ? 'every source is understood' : `${bad} of ${findings.length} sources failed`);
process.exitCode = bad === 0 ? 0 : 1;
