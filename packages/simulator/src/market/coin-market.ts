import { hashText, type Side } from '@crosstape/core';
import { BLOCK_MS, SLOT_BLOCKS } from './blocks.ts';
import { Cascades, depthLeft, indexPush, premiumPush } from './cascades.ts';
import type { Coin } from './coins.ts';
import { gaussOf, mix, SmoothNoise, uniformOf } from './noise.ts';
import { PricePath } from './price-path.ts';
import { legalAbove, legalBelow, priceDecimals } from './tick.ts';

/**
 * Coins with rushes, one after the other: always the same would soon be usual. And their bursts, relative to a calm
 * slot: where fewer trade, one large order counts for more.
 */
const BURSTS: Readonly<Record<string, number>> = { BTC: 5, ETH: 8, SOL: 8 };
const COINS = Object.keys(BURSTS);
/** One in every 52 minutes, within their first 5, so that an observer sees one within an hour. */
const EVERY_SLOTS = 384;
const START_SLOTS = 32;
/** 4 minutes. */
const LENGTH_SLOTS = 30;

/** Times when nearly all takers of a coin take the same side for some minutes. */
class Rushes {
  readonly bursts: number;
  readonly #salt: number;
  readonly #turn: number;

  constructor(seed: number, coin: string) {
    this.bursts = BURSTS[coin] ?? 0;
    this.#salt = mix(seed, hashText('rush'));
    this.#turn = COINS.indexOf(coin);
  }

  /** The side taken in the slot that begins with a block; `undefined` while there is no rush. */
  at(firstBlock: number): Side | undefined {
    if (this.#turn < 0) return undefined;
    const slot = firstBlock / SLOT_BLOCKS;
    const stretch = Math.floor(slot / EVERY_SLOTS);
    if (stretch % COINS.length !== this.#turn) return undefined;
    const hash = mix(this.#salt, stretch);
    const done = slot - stretch * EVERY_SLOTS - Math.floor(START_SLOTS * uniformOf(mix(hash, 1)));
    if (done < 0 || done >= LENGTH_SLOTS) return undefined;
    return (hash & 1) === 0 ? 'buy' : 'sell';
  }
}

/** At most one jump falls into each window of 2^17 blocks, about four and a half hours. */
const WINDOW_BLOCKS = 2 ** 17;
const JUMP_CHANCE = 0.3;
/** Standard deviation of a jump against a day's volatility. */
const JUMP_SIGMA = 0.2;

/** The jumps of one coin: each happens at once, with a drift towards and away from it over its window. */
class Jumps {
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

const CORRELATION = 0.7;
const CORRELATION_OUTSIDE_CRYPTO = 0.25;
const PREMIUM = { longestMs: 8 * 3_600_000, octaves: 5, roughness: 0.75 } as const;
/** Nothing finer than half an hour: within minutes, trades move positions. */
const OPEN_INTEREST = { longestMs: 36 * 3_600_000, octaves: 4, roughness: 0.55 } as const;
const OPEN_INTEREST_SIGMA = 0.12;
/** Perpetuals trade a little above their index most of the time. */
const PREMIUM_MEAN_BPS = 1;
/** The size that rests at the touch on average, in median orders. */
const TOUCH_ORDERS = 24;

/** Value of a coin's median taker order. */
export function orderUsdOf({ tradesPerWeek }: Coin): number {
  return 260 * (tradesPerWeek / 10_000) ** 0.38;
}

/**
 * One coin at one block: everything that follows from seed, coin and time. Moving forward is cheap, any block can be
 * reached, and the result never depends on the previous position.
 */
export class CoinMarket {
  readonly coin: Coin;
  readonly salt: number;
  /** One dollar in scaled price units. */
  readonly dollar: number;
  /** Lots in one coin. */
  readonly lotsPerCoin: number;
  /** Value of the median taker order. */
  readonly orderUsd: number;
  readonly cascades: Cascades;
  readonly rushes: Rushes;
  readonly path: PricePath;
  readonly #jumps: Jumps;
  readonly #premiumNoise: SmoothNoise;
  readonly #openInterestNoise: SmoothNoise;
  readonly #halfSpread: number;

  block = -1;
  /** Price of the coin in the world at large, in dollars. */
  index = 0;
  /** Premium of the perpetual over the index, as a fraction. */
  premium = 0;
  /** Scaled prices of the touch. */
  bid = 0;
  ask = 0;
  /** Average size at the touch. */
  depthLots = 0;
  /** Volatility against the average. */
  turbulence = 1;

  constructor(seed: number, coin: Coin, withCascades: boolean) {
    this.coin = coin;
    this.salt = mix(seed, hashText(coin.name));
    this.dollar = 10 ** priceDecimals(coin.sizeDecimals);
    this.lotsPerCoin = 10 ** coin.sizeDecimals;
    this.orderUsd = orderUsdOf(coin);
    const { dailyVolatility } = coin;
    const correlation = coin.category === undefined ? CORRELATION : CORRELATION_OUTSIDE_CRYPTO;
    this.path = new PricePath({ seed, salt: this.salt, dailyVolatility, correlation });
    this.cascades = new Cascades({
      salt: mix(this.salt, 1),
      path: this.path,
      coin,
      touchUsd: TOUCH_ORDERS * this.orderUsd,
      isOn: withCascades,
    });
    this.rushes = new Rushes(seed, coin.name);
    this.#jumps = new Jumps(mix(this.salt, 2), dailyVolatility);
    this.#premiumNoise = new SmoothNoise(mix(this.salt, 3), PREMIUM);
    this.#openInterestNoise = new SmoothNoise(mix(this.salt, 4), OPEN_INTEREST);
    this.#halfSpread = (0.05 + 200 / Math.sqrt(coin.tradesPerWeek)) / 10_000;
  }

  moveTo(block: number): void {
    if (block === this.block) return;
    this.block = block;
    const cascade = this.cascades.near(block);
    let log = this.path.at(block) + this.#jumps.at(block);
    this.turbulence = this.path.turbulence;
    this.premium = this.calmPremium(block * BLOCK_MS);
    let depth = TOUCH_ORDERS / (0.5 + 0.5 * this.turbulence);
    if (cascade !== undefined) {
      log += indexPush(cascade, block);
      this.premium += premiumPush(cascade, block);
      depth *= depthLeft(cascade, block);
    }
    this.index = this.coin.price * Math.exp(log);
    const middle = this.index * (1 + this.premium) * this.dollar;
    const spread = middle * this.#halfSpread * (0.6 + 0.4 * Math.min(4, this.turbulence));
    this.bid = legalBelow(middle - spread, this.dollar);
    this.ask = legalAbove(middle + spread, this.dollar);
    this.depthLots = (depth * this.orderUsd * this.lotsPerCoin) / this.coin.price;
  }

  /** The premium as a fraction, without the effect of a cascade. */
  calmPremium(atMs: number): number {
    return (PREMIUM_MEAN_BPS + this.coin.premiumBps * this.#premiumNoise.at(atMs)) / 10_000;
  }

  /** The premium as a fraction at any time. */
  premiumAt(atMs: number): number {
    const block = Math.floor(atMs / BLOCK_MS);
    const cascade = this.cascades.near(block);
    return this.calmPremium(block * BLOCK_MS) + (cascade ? premiumPush(cascade, block) : 0);
  }

  /** Open positions in coins, one-sided, without the effect of the last minutes' trades. */
  usualOpenInterestAt(atMs: number): number {
    const noise = OPEN_INTEREST_SIGMA * this.#openInterestNoise.at(atMs);
    return (this.coin.openInterestUsd / this.coin.price) * Math.exp(noise);
  }
}
