/**
 * How a payload is best deflated (zlib's names). Its sections have no repeats worth a search, and short blocks give
 * every section a Huffman code of its own. A reader needs to know none of this: any gzip member will do.
 */
export const chunkDeflate = { strategy: 'huffman-only', level: 6, memLevel: 5 } as const;
