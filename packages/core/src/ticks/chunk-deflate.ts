/**
 * How a payload is best deflated (zlib's names). Its sections have few repeats, and short blocks give every section its
 * own Huffman code. Readers do not depend on it: any gzip member will do.
 */
export const chunkDeflate = { strategy: 'huffman-only', level: 6, memLevel: 5 } as const;
