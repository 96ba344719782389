import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';

/** An event as an independent reader of the wire understood it. */
export interface SseEvent {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface SseClientOptions {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves data unread until `read` is called. */
  readonly paused?: boolean;
}

/** A client of a stream that can be slow and can hang up in the middle of an event. */
export class SseClient {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: SseEvent[] = [];
  /** How the answer finished; `undefined` while it continues. */
  finished: 'end' | 'cut' | undefined;
  /** The body of an answer that is no stream. */
  body = '';
  bytes = 0;
  #hangUpAtBytes = Number.POSITIVE_INFINITY;
  readonly #response: IncomingMessage;

  static async open({ port, path, headers = {}, paused = false }: SseClientOptions): Promise<SseClient> {
    const request = get({ port, path, headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const client = new SseClient(response);
    // A body that ends with its connection is taken as whole by the response even after a reset.
    request.on('error', () => {
      client.finished ??= 'cut';
    });
    if (!paused) client.read();
    return client;
  }

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.on('end', () => {
      this.finished ??= 'end';
    });
    response.on('error', () => {
      this.finished ??= 'cut';
    });
    response.on('close', () => {
      this.finished ??= 'cut';
    });
  }

  /** Starts to read. */
  read(): void {
    const isStream = this.headers['content-type']?.startsWith('text/event-stream') ?? false;
    const parser = createParser({
      onEvent: ({ event, id, data }) => {
        this.events.push({ name: event, id, data: JSON.parse(data) as SseEvent['data'] });
      },
      onError: (error) => {
        throw error;
      },
    });
    // Byte for byte, so that a hang-up can fall anywhere; the wire is ASCII for the coins of the tests.
    this.#response.on('data', (chunk: Buffer) => {
      const taken = chunk.subarray(0, this.#hangUpAtBytes - this.bytes).toString('latin1');
      this.bytes += taken.length;
      if (isStream) parser.feed(taken);
      else this.body += taken;
      if (this.bytes >= this.#hangUpAtBytes) this.hangUp();
    });
  }

  /** The id to resume from. */
  get lastEventId(): string | undefined {
    return this.events.at(-1)?.id;
  }

  named(name: string): SseEvent[] {
    return this.events.filter((event) => event.name === name);
  }

  hangUpAfter(bytes: number): void {
    this.#hangUpAtBytes = this.bytes + bytes;
  }

  hangUp(): void {
    this.finished ??= 'cut';
    this.#response.destroy();
  }
}
