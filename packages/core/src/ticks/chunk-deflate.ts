/**
 * How a payload is best deflated (zlib's names). Its lanes have no repeats worth a search, and short blocks let every
 * lane have a Huffman code of its own. A reader needs to know none of this: any gzip member will do.
 */
export const chunkDeflate = { strategy: 'huffman-only', level: 6, memLevel: 5 } as const;
