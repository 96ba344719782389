import { gaussOf, mix, uniformOf } from './noise.ts';

/** At most one jump falls into each window of 2^17 blocks, about four and a half hours. */
const WINDOW_BLOCKS = 2 ** 17;
const JUMP_CHANCE = 0.3;
/** Standard deviation of a jump against a day's volatility. */
const JUMP_SIGMA = 0.2;

/** The jumps of one coin: each happens at once, with a drift towards and away from it over its window. */
export class Jumps {
  readonly #salt: number;
  readonly #sigma: number;
  #window = -1;
  #jump = 0;
  #atBlock = 0;

  constructor(salt: number, dailyVolatility: number) {
    this.#salt = salt;
    this.#sigma = JUMP_SIGMA * dailyVolatility;
  }

  /** Log return that the jump of this window adds at a block; zero at both ends of the window. */
  at(block: number): number {
    const window = Math.floor(block / WINDOW_BLOCKS);
    if (window !== this.#window) this.#enter(window);
    if (this.#jump === 0) return 0;
    const passed = (block - window * WINDOW_BLOCKS) / WINDOW_BLOCKS;
    return this.#jump * ((block >= this.#atBlock ? 1 : 0) - passed);
  }

  #enter(window: number): void {
    const salt = mix(this.#salt, window);
    this.#window = window;
    this.#jump = uniformOf(salt) < JUMP_CHANCE ? this.#sigma * gaussOf(mix(salt, 1)) : 0;
    this.#atBlock = window * WINDOW_BLOCKS + Math.floor(WINDOW_BLOCKS * uniformOf(mix(salt, 2)));
  }
}
