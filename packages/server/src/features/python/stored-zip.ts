import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly body: Buffer;
}

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const VERSION = 20;
/** Made on Unix, so that the mode of a file counts. */
const MADE_BY = (3 << 8) | VERSION;
const NAMES_ARE_UTF8 = 0x0800;
/** 1 January 1980, the first day that the format knows. */
const FIRST_DAY = (1 << 5) | 1;
const FILE_MODE = 0o100644;

/** A zip file without compression or times: equal entries make equal bytes on every machine. */
export function storedZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, body } of entries) {
    const nameBytes = Buffer.from(name);
    const shared = sharedFields(nameBytes, body);
    const local = Buffer.concat([words(LOCAL_SIGNATURE), shorts(VERSION), shared, nameBytes, body]);
    directory.push(
      Buffer.concat([
        words(CENTRAL_SIGNATURE),
        shorts(MADE_BY, VERSION),
        shared,
        // No comment, the first disk, no internal attributes.
        shorts(0, 0, 0),
        words((FILE_MODE << 16) >>> 0, offset),
        nameBytes,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.concat([
    words(END_SIGNATURE),
    shorts(0, 0, entries.length, entries.length),
    words(central.length, offset),
    shorts(0),
  ]);
  return Buffer.concat([...parts, central, end]);
}

/** From the flags to the length of the extra field: the same before the file and in the directory. */
function sharedFields(name: Buffer, body: Buffer): Buffer {
  return Buffer.concat([
    shorts(NAMES_ARE_UTF8, 0, 0, FIRST_DAY),
    words(crc32(body), body.length, body.length),
    shorts(name.length, 0),
  ]);
}

function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, i * 2);
  return bytes;
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, i * 4);
  return bytes;
}
