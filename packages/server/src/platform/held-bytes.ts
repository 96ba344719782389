import { CallerCounts } from './caller-counts.ts';
import { networkOf } from './client-address.ts';

/** Shares of one address and of one network (IPv6 /48, IPv4 /24). */
const ADDRESS_SHARE = 1 / 4;
const NETWORK_SHARE = 1 / 2;

/** Memory that is held for callers, within one budget. No address and no network gets all of it. */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #counts = new CallerCounts();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns a function that releases them; `undefined` when the address, its network or all callers have too many. */
  take(address: string, bytes: number): (() => void) | undefined {
    const bounds = [
      { name: `address ${address}`, max: this.#bytesMax * ADDRESS_SHARE },
      { name: `network ${networkOf(address)}`, max: this.#bytesMax * NETWORK_SHARE },
      { name: 'all', max: this.#bytesMax },
    ];
    // One may be larger than its share when nothing else is held.
    const isOver = ({ name, max }: (typeof bounds)[number]): boolean =>
      this.#counts.of(name) > 0 && this.#counts.of(name) + bytes > max;
    if (bounds.some(isOver)) return undefined;
    for (const { name } of bounds) this.#counts.add(name, bytes);
    return () => {
      for (const { name } of bounds) this.#counts.remove(name, bytes);
    };
  }
}
