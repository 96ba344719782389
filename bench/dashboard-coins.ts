import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers with a row for each coin. */
const PATHS = /^\/api\/v1\/perps\/(tickers|funding|oi|oi\/changes|cvd|liquidations|positioning)(\?|$)/;
const PRINTS = /^\/api\/v1\/streams\/whales\?/;
/** Of the name of a copy: `BTC_1`. */
const COPY = /_\d+$/;
const TURN_MS = 10;
/** The most that a price moves by from print to print, as a share. */
const STEP = 4e-4;

interface Row {
  readonly coin: string;
  readonly mark?: number;
}

/** A market of this many coins: those of the service, and copies of some; each has prints at a chosen rate together. */
export class ManyCoins {
  readonly #count: number;
  readonly #printsPerSecond: number;
  readonly #prices = new Map<string, number>();
  readonly #copies = new Map<string, readonly string[]>();
  #coins: readonly string[] = [];
  #tid = 0;

  constructor(count: number, printsPerSecond: number) {
    this.#count = count;
    this.#printsPerSecond = printsPerSecond;
  }

  has(path: string): boolean {
    return PATHS.test(path);
  }

  /** The address to ask the service: it does not know the copies. */
  known(path: string): string {
    const address = new URL(path, 'http://service');
    const coins = address.searchParams.get('coins')?.split(',');
    if (coins) address.searchParams.set('coins', coins.filter((coin) => !COPY.test(coin)).join());
    return address.pathname + address.search;
  }

  /** An answer of the service with the rows of the copies. */
  copied(path: string, text: string): string {
    const answer = JSON.parse(text) as { data: readonly Row[] | null };
    if (!Array.isArray(answer.data)) return text;
    const { data } = answer as { data: readonly Row[] };
    if (path.endsWith('/perps/tickers')) this.#name(data);
    const copies = data.flatMap((row) =>
      (this.#copies.get(row.coin) ?? []).map((coin) => ({ ...row, coin })),
    );
    return JSON.stringify({ ...answer, data: [...data, ...copies] });
  }

  /** Names the copies by the answer with the prices of all coins. */
  #name(tickers: readonly Row[]): void {
    for (const [i, { coin, mark = 1 }] of tickers.entries()) {
      const count = Math.max(0, Math.ceil((this.#count - i) / tickers.length) - 1);
      const copies = Array.from({ length: count }, (_, copy) => `${coin}_${copy + 1}`);
      this.#copies.set(coin, copies);
      for (const name of [coin, ...copies]) if (!this.#prices.has(name)) this.#prices.set(name, mark);
    }
    this.#coins = [...this.#prices.keys()];
  }

  /** Sends prints of all coins in place of the service's; false: this is another address. */
  stream(asked: IncomingMessage, answer: ServerResponse): boolean {
    if (!PRINTS.test(asked.url ?? '')) return false;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const nowMs = Date.now();
    answer.write(`event: heartbeat\nid: ${nowMs}\ndata: ${JSON.stringify({ ts: nowMs, now: nowMs })}\n\n`);
    let due = 0;
    const timer = setInterval(() => {
      due = Math.min(due + (this.#printsPerSecond * TURN_MS) / 1_000, this.#printsPerSecond);
      let text = '';
      for (; due >= 1 && this.#coins.length > 0; due -= 1) text += this.#print();
      if (text !== '') answer.write(text);
    }, TURN_MS);
    answer.on('close', () => clearInterval(timer));
    return true;
  }

  #print(): string {
    const coin = this.#coins[Math.floor(Math.random() * this.#coins.length)] as string;
    const price = (this.#prices.get(coin) ?? 1) * (1 + (Math.random() - 0.5) * STEP);
    this.#prices.set(coin, price);
    const ts = Date.now();
    this.#tid += 1;
    const print = { coin, side: 'buy', notionalUsd: 100, price, ts, venue: 'hyperliquid', size: 1, fills: 1 };
    return `event: whale\nid: ${ts}\ndata: ${JSON.stringify({ ...print, tid: this.#tid })}\n\n`;
  }
}
