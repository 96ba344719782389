import type { HttpClient } from './http-client.ts';

type Client = Pick<HttpClient, 'send' | 'close'>;

/** Sends each request to the client of its origin. A client is opened with the first request to its origin. */
export function clientByOrigin(rest: string, open: (origin: string) => Client): Client {
  /** One for each origin that the connector's requests name. */
  const clients = new Map<string, Client>();
  return {
    async send(request, weight, purpose) {
      const { origin = rest } = request;
      const client = clients.get(origin) ?? open(origin);
      clients.set(origin, client);
      return client.send(request, weight, purpose);
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
