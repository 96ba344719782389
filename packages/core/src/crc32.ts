const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** The CRC-32 checksum of a text of ASCII characters. */
export function crc32(text: string): number {
  let value = 0xffffffff;
  for (let i = 0; i < text.length; i += 1)
    value = table[(value ^ text.charCodeAt(i)) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
