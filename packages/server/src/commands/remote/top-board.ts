import type { Client } from '@crosstape/client';
import type { TopCoin, TopPrint, TopView } from './top-screen.ts';

const PRINTS_KEPT = 100;
/** Funding and open interest change slowly, and anonymous callers have few requests. */
const ASK_EVERY_MS = 15_000;
const AGAIN_MS = 2_000;
const LOOK_EVERY_MS = 50;

/** Follows the data of `top` and keeps the newest. */
export class TopBoard {
  readonly #client: Client;
  readonly #names: readonly string[];
  readonly #minUsd: number;
  readonly #coins = new Map<string, TopCoin>();
  readonly #ending = new AbortController();
  #prints: readonly TopPrint[] = [];
  #source = '';
  #problems = new Map<string, string>();

  constructor(client: Client, coins: readonly string[], minUsd: number) {
    this.#client = client;
    this.#names = coins;
    this.#minUsd = minUsd;
  }

  view(): Omit<TopView, 'url'> {
    const [problem] = this.#problems.values();
    return {
      source: this.#source,
      nowMs: this.#client.now(),
      coins: [...this.#coins.values()],
      prints: this.#prints,
      minUsd: this.#minUsd,
      ...(problem !== undefined && { problem }),
    };
  }

  /** Resolves when every coin has its figures. Rejects if the service refuses a request. */
  async start(): Promise<void> {
    const { data, meta } = await this.#client.get(
      '/perps/tickers',
      { coins: [...this.#names] },
      this.#options,
    );
    this.#source = meta.source;
    if (meta.unknown) this.#problems.set('unknown', `not known here: ${meta.unknown.join(', ')}`);
    for (const { coin } of data) this.#update(coin, {});
    await this.#askSlow();
    const large = { minUsd: this.#minUsd, limit: PRINTS_KEPT };
    this.#prints = (await this.#client.get('/perps/whales', large, this.#options)).data;
    for (const coin of this.#coins.keys())
      void this.#again(`price of ${coin}`, () => this.#followPrice(coin));
    void this.#again('large orders', () => this.#followPrints());
    void this.#again('figures', () => this.#askOften());
  }

  /** Resolves when every coin has a price, or after this time. */
  async priced(waitMsMax: number): Promise<void> {
    const untilMs = this.#client.now() + waitMsMax;
    const isPriced = (): boolean => [...this.#coins.values()].every(({ last }) => last !== undefined);
    while (!isPriced() && this.#client.now() < untilMs) await this.#client.wait(LOOK_EVERY_MS, this.#options);
  }

  stop(): void {
    this.#ending.abort(new Error('stopped'));
  }

  get #options(): { signal: AbortSignal } {
    return { signal: this.#ending.signal };
  }

  #update(coin: string, news: Omit<TopCoin, 'coin'>): void {
    this.#coins.set(coin, { ...this.#coins.get(coin), ...news, coin });
  }

  async #askSlow(): Promise<void> {
    const coins = [...this.#coins.keys()];
    const [funding, interest, tickers] = await Promise.all([
      this.#client.get('/perps/funding', { coins }, this.#options),
      this.#client.get('/perps/oi', { coins }, this.#options),
      this.#client.get('/perps/tickers', { coins }, this.#options),
    ]);
    for (const { coin, rate, periodHours } of funding.data)
      this.#update(coin, { fundingHourly: rate / periodHours });
    for (const { coin, oiUsd } of interest.data) this.#update(coin, { oiUsd });
    for (const { coin, mark, index, change24hPct } of tickers.data)
      this.#update(coin, { mark, ...(index !== null && { index }), change24hPct });
    this.#source = interest.meta.source;
  }

  async #askOften(): Promise<void> {
    for (;;) {
      await this.#client.wait(ASK_EVERY_MS, this.#options);
      await this.#askSlow();
      this.#problems.delete('figures');
    }
  }

  async #followPrice(coin: string): Promise<void> {
    for await (const item of this.#client.follow('candles', coin, { interval: '1m' }, this.#options)) {
      if (item.type !== 'data') continue;
      this.#update(coin, { last: item.payload.close, ts: item.ts });
      this.#problems.delete(`price of ${coin}`);
    }
  }

  async #followPrints(): Promise<void> {
    for await (const item of this.#client.stream(
      '/streams/whales',
      { minUsd: this.#minUsd },
      this.#options,
    )) {
      if (item.event === 'gap') continue;
      this.#prints = [item.data, ...this.#prints].slice(0, PRINTS_KEPT);
      this.#problems.delete('large orders');
    }
  }

  /** Repeats forever; failures are shown and retried. */
  async #again(name: string, run: () => Promise<void>): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await run();
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        this.#problems.set(name, `${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await this.#client.wait(AGAIN_MS, this.#options).catch(() => undefined);
    }
  }
}
