const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;
const STRIPE_BYTES = 16;

/** The checksum of LZ4 frames, fed in parts: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */
export class XxHash32 {
  #a = (PRIME_1 + PRIME_2) | 0;
  #b = PRIME_2 | 0;
  #c = 0;
  #d = -PRIME_1 | 0;
  #length = 0;
  readonly #rest = Buffer.alloc(STRIPE_BYTES);
  #restLength = 0;

  update(bytes: Buffer): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(STRIPE_BYTES - this.#restLength, bytes.length);
      bytes.copy(this.#rest, this.#restLength, 0, at);
      this.#restLength += at;
      if (this.#restLength < STRIPE_BYTES) return this;
      this.#stripes(this.#rest, 0, STRIPE_BYTES);
      this.#restLength = 0;
    }
    const end = bytes.length - ((bytes.length - at) % STRIPE_BYTES);
    this.#stripes(bytes, at, end);
    this.#restLength = bytes.copy(this.#rest, 0, end);
    return this;
  }

  digest(): number {
    const mixed =
      this.#length >= STRIPE_BYTES
        ? rotate(this.#a, 1) + rotate(this.#b, 7) + rotate(this.#c, 12) + rotate(this.#d, 18)
        : PRIME_5;
    let hash = (mixed + this.#length) | 0;
    let at = 0;
    for (; at + 4 <= this.#restLength; at += 4)
      hash = Math.imul(rotate((hash + Math.imul(this.#rest.readInt32LE(at), PRIME_3)) | 0, 17), PRIME_4);
    for (; at < this.#restLength; at += 1)
      hash = Math.imul(rotate((hash + Math.imul(this.#rest[at] as number, PRIME_5)) | 0, 11), PRIME_1);
    hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
    hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #stripes(bytes: Buffer, from: number, to: number): void {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    for (let at = from; at < to; at += STRIPE_BYTES) {
      a = round(a, bytes.readInt32LE(at));
      b = round(b, bytes.readInt32LE(at + 4));
      c = round(c, bytes.readInt32LE(at + 8));
      d = round(d, bytes.readInt32LE(at + 12));
    }
    [this.#a, this.#b, this.#c, this.#d] = [a, b, c, d];
  }
}

function round(value: number, word: number): number {
  return Math.imul(rotate((value + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
