/** The types that client frames need; extensions and dates are refused. */
type Plain = null | boolean | number | string | Uint8Array | Plain[] | { [name: string]: Plain };

/** Client frames are flat; deeper nesting is an attack. */
const DEPTH_MAX = 8;

/** These bytes are not msgpack, or use types that clients may not send. */
export class BadMsgpack extends Error {
  override readonly name = 'BadMsgpack';
}

/**
 * Reads one msgpack value that fills the bytes. Lengths are checked against the remaining bytes before anything is
 * allocated: libraries allocate whatever a five-byte header claims.
 */
export function readMsgpack(bytes: Buffer): unknown {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (!reader.isAtEnd) throw new BadMsgpack('there is more after the value');
  return value;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): Plain {
    if (depth > DEPTH_MAX) throw new BadMsgpack('it is nested too deeply');
    const tag = this.#uint(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#map(tag & 0x0f, depth);
    if (tag < 0xa0) return this.#array(tag & 0x0f, depth);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    return this.#tagged(tag, depth);
  }

  #tagged(tag: number, depth: number): Plain {
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#take(this.#uint(1 << (tag - 0xc4)));
      case 0xca:
        return this.#take(4).readFloatBE();
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#uint(1 << (tag - 0xcc));
      case 0xcf:
        return Number(this.#take(8).readBigUInt64BE());
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#take(1 << (tag - 0xd0)).readIntBE(0, 1 << (tag - 0xd0));
      case 0xd3:
        return Number(this.#take(8).readBigInt64BE());
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#uint(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#uint(2 << (tag - 0xdc)), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#uint(2 << (tag - 0xde)), depth);
      default:
        throw new BadMsgpack(`a value of type 0x${tag.toString(16)} is not allowed`);
    }
  }

  #array(length: number, depth: number): Plain[] {
    // Each element takes at least one byte.
    this.#need(length);
    return Array.from({ length }, () => this.value(depth + 1));
  }

  #map(length: number, depth: number): { [name: string]: Plain } {
    this.#need(2 * length);
    const entries = Array.from({ length }, (): [string, Plain] => {
      const name = this.value(depth + 1);
      if (typeof name !== 'string') throw new BadMsgpack('a key is not a text');
      return [name, this.value(depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  #text(length: number): string {
    return this.#take(length).toString('utf8');
  }

  #uint(length: number): number {
    return this.#take(length).readUIntBE(0, length);
  }

  #take(length: number): Buffer {
    this.#need(length);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #need(length: number): void {
    if (length > this.#bytes.length - this.#at) throw new BadMsgpack('it ends too early');
  }
}
