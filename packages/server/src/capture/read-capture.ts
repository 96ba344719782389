import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { CAPTURE_FORMAT, type CaptureHeader, type CaptureLine } from './format.ts';

/** The largest answer that a connector accepts, in base64. */
const LINE_BYTES_MAX = 128 * 2 ** 20;
const PART_BYTES = 256 * 1024;
const NEWLINE = 10;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** A file that is not a capture, or of an unsupported version. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

/** A capture, line by line. */
export class CaptureReader {
  readonly path: string;
  /** Known once the file has been read: whether it has its end line. */
  isComplete = false;
  readonly #lines: AsyncGenerator<string>;
  #header: CaptureHeader | undefined;

  static async open(path: string): Promise<CaptureReader> {
    const reader = new CaptureReader(path, linesOf(path, await isGzip(path)));
    await reader.#readHeader();
    return reader;
  }

  private constructor(path: string, lines: AsyncGenerator<string>) {
    this.path = path;
    this.#lines = lines;
  }

  get header(): CaptureHeader {
    return this.#header as CaptureHeader;
  }

  /** Can be read once. A truncated file ends where it was cut. */
  async *lines(): AsyncGenerator<CaptureLine> {
    let number = 1;
    let held: string | undefined;
    // The last line is held back: only it may be incomplete.
    for await (const text of this.#lines) {
      if (held !== undefined) yield this.#parse(held, (number += 1));
      held = text;
    }
    if (held === undefined) return;
    let last: CaptureLine;
    try {
      last = this.#parse(held, number + 1);
    } catch {
      return;
    }
    this.isComplete = last.type === 'end';
    yield last;
  }

  async #readHeader(): Promise<void> {
    const { value } = (await this.#lines.next()) as { value?: string };
    const header = parseJson(value ?? '') as Partial<CaptureHeader> | undefined;
    if (typeof header?.capture !== 'number' || typeof header.startedAtMs !== 'number')
      throw new CaptureError(`${this.path} is not a capture: its first line is not a capture's header`);
    if (header.capture !== CAPTURE_FORMAT)
      throw new CaptureError(
        `${this.path} has format ${header.capture}; this version reads format ${CAPTURE_FORMAT}`,
      );
    this.#header = header as CaptureHeader;
  }

  #parse(text: string, number: number): CaptureLine {
    const line = parseJson(text) as Partial<CaptureLine> | undefined;
    if (!line || !isLine(line)) throw new CaptureError(`${this.path}:${number} is not a line of a capture`);
    return line as CaptureLine;
  }
}

/** What readers of a capture rely on, by type of line. Other types are those of later versions. */
const shapes: Readonly<Record<string, Readonly<Record<string, 'number' | 'string' | 'headers' | 'body'>>>> = {
  request: {
    id: 'number',
    venue: 'string',
    source: 'string',
    key: 'string',
    method: 'string',
    path: 'string',
  },
  answer: { id: 'number', status: 'number', headers: 'headers', body: 'body' },
  failure: { id: 'number', reason: 'string' },
  connect: { socket: 'number', venue: 'string', feed: 'string', path: 'string' },
  refused: { socket: 'number', status: 'number' },
  out: { socket: 'number', body: 'body' },
  in: { socket: 'number', as: 'string', body: 'body' },
  close: { socket: 'number', by: 'string', code: 'number', reason: 'string' },
};

function isLine(line: Readonly<Record<string, unknown>>): boolean {
  if (typeof line.t !== 'number' || typeof line.type !== 'string') return false;
  const { topics } = line;
  if (topics !== undefined && !isTexts(topics)) return false;
  const shape = Object.hasOwn(shapes, line.type) ? shapes[line.type]! : {};
  if (line.type === 'request' && line.body !== undefined && !isBody(line.body)) return false;
  return Object.entries(shape).every(([name, kind]) => {
    const value = line[name];
    if (kind === 'body') return isBody(value);
    return kind === 'headers' ? isHeaders(value) : typeof value === kind;
  });
}

function isBody(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'text' in value
    ? typeof value.text === 'string'
    : 'base64' in value && typeof value.base64 === 'string';
}

function isHeaders(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isTexts(Object.values(value));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path).catch((error: Error) => {
    throw new CaptureError(`${path} cannot be read: ${error.message}`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === GZIP_MAGIC[0] && buffer[1] === GZIP_MAGIC[1];
  } finally {
    await file.close();
  }
}

async function* linesOf(path: string, isCompressed: boolean): AsyncGenerator<string> {
  const file = createReadStream(path, { highWaterMark: PART_BYTES });
  const stream = isCompressed ? file.pipe(createGunzip({ chunkSize: PART_BYTES })) : file;
  if (stream !== file) file.on('error', (error) => stream.destroy(error));
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...parts, part.subarray(from, at)]).toString('utf8');
        parts = [];
        bytes = 0;
        from = at + 1;
      }
      parts.push(part.subarray(from));
      bytes += part.length - from;
      if (bytes > LINE_BYTES_MAX)
        throw new CaptureError(`${path} has a line of more than ${LINE_BYTES_MAX} bytes`);
    }
  } catch (error) {
    // Truncated within a block: everything before it is valid.
    if (!isCutOff(error))
      throw isZlib(error) ? new CaptureError(`${path} is damaged: ${error.message}`) : error;
  } finally {
    file.destroy();
  }
  if (bytes > 0) yield Buffer.concat(parts).toString('utf8');
}

function isCutOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
}

function isZlib(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}
