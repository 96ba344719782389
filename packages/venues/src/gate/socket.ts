/** The time of a request matters only where it is signed; the documents' own samples send one of 1970 [D]. */
const REQUEST_SECONDS = 123456;

export function request(channel: string, rest: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ time: REQUEST_SECONDS, channel, ...rest });
}

export const PING = { everyMs: 20_000, frame: request('futures.ping') };
