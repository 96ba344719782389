import { primaryVenue, type Connector } from '@crosstape/venues';
import { WebSocket } from 'ws';

export interface OurContext {
  readonly coin: string;
  readonly mark: number;
  readonly index: number;
  readonly funding: number;
  readonly openInterest: number;
}

export interface OurTrade {
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
  readonly ts: number;
  readonly tid: number;
}

const { resources, feeds } = primaryVenue.connector as Connector;

/** What our connector makes of the answer that the simulator gives at this moment of its clock. */
export async function ourContexts(url: string, nowMs: number): Promise<readonly OurContext[]> {
  const [resource] = resources;
  if (!resource) throw new Error('the primary venue has no resource');
  const { method, path, body } = resource.request;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/${primaryVenue.id}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  const { prices = [], funding = [], openInterest = [] } = resource.parse(await response.json(), nowMs, {});
  return prices.map(({ coin, mark, index }, i) => ({
    coin,
    mark,
    index: index as number,
    funding: funding[i]?.rate as number,
    openInterest: openInterest[i]?.coins as number,
  }));
}

/** Trades of a coin as our connector reads them off its own socket; resolves once subscribed. */
export async function watchOurTrades(
  url: string,
  coin: string,
  onTrade: (trade: OurTrade) => void,
): Promise<() => void> {
  const [feed] = feeds;
  if (!feed) throw new Error('the primary venue has no feed');
  const socket = new WebSocket(`${url.replace('http', 'ws')}/${primaryVenue.id}${feed.path}`);
  const parse = feed.open(() => ({}));
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send(feed.subscribe([coin])));
    socket.on('message', (data) => {
      const frame = parse((data as Buffer).toString());
      if (frame.kind === 'subscribed') resolve();
      if (frame.kind === 'refused') reject(new Error(frame.why));
      if (frame.kind !== 'trades') return;
      for (const { side, price, size, venueTs, tid } of frame.trades)
        onTrade({ coin, side, price, size, ts: venueTs, tid });
    });
  });
  return () => socket.terminate();
}
