import { mix } from './noise.ts';

/** The market moves in blocks: all that happens in one shares its time, on every coin. */
export const BLOCK_MS = 128;

/** Orders are drawn a slot at a time: a slot is the smallest piece of market that is generated as a whole. */
export const SLOT_BLOCKS = 64;
export const SLOT_MS = SLOT_BLOCKS * BLOCK_MS;

/** Jitter of a block's time; less than a block, so that times only increase. */
const JITTER_MS = 96;

/** The time that everything in a block carries. */
export function blockTimeMs(seed: number, block: number): number {
  return block * BLOCK_MS + ((mix(seed, block) >>> 0) % JITTER_MS);
}

/** The newest block that has happened at a time. */
export function blockAt(seed: number, atMs: number): number {
  const block = Math.floor(atMs / BLOCK_MS);
  return blockTimeMs(seed, block) <= atMs ? block : block - 1;
}

/** The first block whose time is `fromMs` or later. */
export function blockFrom(seed: number, fromMs: number): number {
  return blockAt(seed, fromMs - 1) + 1;
}
