import { systemClock } from '@crosstape/simulator';
import { createParser } from 'eventsource-parser';

export interface TailEvent {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** When it came. */
  readonly atMs: number;
}

/** Everything a stream has said so far, read by an independent parser. */
export class SseTail {
  readonly events: TailEvent[] = [];
  isOpen = true;
  readonly #abort: AbortController;

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<SseTail> {
    const abort = new AbortController();
    const response = await fetch(url, { signal: abort.signal, headers });
    if (response.status !== 200 || !response.body) throw new Error(`${url} answers ${response.status}`);
    return new SseTail(response.body, abort);
  }

  private constructor(body: ReadableStream<Uint8Array>, abort: AbortController) {
    this.#abort = abort;
    void this.#read(body);
  }

  named(name: string): readonly TailEvent[] {
    return this.events.filter((event) => event.name === name);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, id, data }) =>
        this.events.push({
          name: event,
          id,
          data: JSON.parse(data) as TailEvent['data'],
          atMs: systemClock.now(),
        }),
    });
    const decoder = new TextDecoder();
    try {
      for await (const part of body) parser.feed(decoder.decode(part, { stream: true }));
    } catch {
      // Closed by this side, or cut by the other: either way it is over.
    }
    this.isOpen = false;
  }
}
