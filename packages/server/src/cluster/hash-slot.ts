/** Hash slots of a cluster, divided among its masters. */
export const SLOTS = 16_384;

/** The Redis slot of all keys with this hash tag: CRC16 (XMODEM) of its bytes. */
export function hashSlot(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc % SLOTS;
}
