import { type Connector, type Resource, type Venue, allVenues } from '@crosstape/venues';
import { request } from 'undici';
import { WebSocket } from 'ws';

/** Asks every source of every connected venue once, live, and says whether it is understood. Fails when one is not. */

const TIMEOUT_MS = 15_000;

interface Finding {
  readonly source: string;
  readonly isGood: boolean;
  readonly told: string;
}

async function probeResource(venue: Venue, { origins }: Connector, resource: Resource): Promise<Finding> {
  const source = `${venue.id}:${resource.name}`;
  try {
    const { method, path, body } = resource.request;
    const { statusCode, body: answer } = await request(`${origins.rest}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    if (statusCode !== 200)
      return { source, isGood: false, told: `HTTP ${statusCode}: ${text.slice(0, 80)}` };
    const harvest = resource.parse(JSON.parse(text), Date.now(), {});
    const counts = resource.gives.map((table) => `${harvest[table]?.length ?? 0} ${table}`).join(', ');
    const refused = harvest.refused?.length ?? 0;
    return {
      source,
      isGood: refused === 0,
      told: refused === 0 ? counts : `${counts}; refused: ${harvest.refused?.[0]}`,
    };
  } catch (error) {
    return { source, isGood: false, told: (error as Error).message };
  }
}

/** Good when data come within the time; says how old the newest trade was on arrival. */
function probeFeed(venue: Venue, { origins }: Connector, feed: Connector['feeds'][number]): Promise<Finding> {
  const source = `${venue.id}:${feed.name}`;
  return new Promise((resolve) => {
    const socket = new WebSocket(`${origins.ws}${feed.path}`, { handshakeTimeout: TIMEOUT_MS });
    const parse = feed.open(() => ({}));
    const end = (isGood: boolean, told: string): void => {
      clearTimeout(timer);
      socket.terminate();
      resolve({ source, isGood, told });
    };
    const timer = setTimeout(() => end(false, `nothing within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
    socket.on('error', (error) => end(false, error.message));
    socket.on('open', () => {
      for (const topic of feed.topics([{ coin: 'BTC', symbol: 'BTC', sizeDecimals: 5 }]))
        socket.send(feed.subscribe(topic));
    });
    socket.on('message', (data) => {
      const frame = parse((data as Buffer).toString());
      if (frame.kind === 'refused') end(false, frame.why);
      if (frame.kind !== 'trades' || frame.isBackfill) return;
      const newestMs = Math.max(...frame.trades.map(({ venueTs }) => venueTs));
      end(true, `${frame.trades.length} trades, the newest ${Date.now() - newestMs} ms old`);
    });
  });
}

const findings: Finding[] = [];
for (const venue of allVenues) {
  const { connector } = venue;
  if (!connector) continue;
  for (const resource of connector.resources) findings.push(await probeResource(venue, connector, resource));
  for (const feed of connector.feeds) findings.push(await probeFeed(venue, connector, feed));
}
for (const { source, isGood, told } of findings)
  console.log(`${isGood ? 'ok  ' : 'BAD '} ${source.padEnd(32)} ${told}`);
const bad = findings.filter(({ isGood }) => !isGood).length;
console.log(bad === 0 ? 'every source is understood' : `${bad} of ${findings.length} sources failed`);
process.exitCode = bad === 0 ? 0 : 1;
