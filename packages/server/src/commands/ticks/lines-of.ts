import { createReadStream } from 'node:fs';

const PART_BYTES = 256 * 1024;
/** Longer lines are not trades. */
const LINE_CHARS_MAX = 4_096;

/** The lines of a text, in batches, without byte order mark and carriage returns. */
export async function* linesOf(
  path: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly string[]> {
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: PART_BYTES });
  let rest = '';
  let isFirst = true;
  for await (const part of stream as AsyncIterable<string>) {
    const lines = (rest + (isFirst ? part.replace(/^\uFEFF/, '') : part)).split('\n');
    isFirst = false;
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX)
      throw new Error(`${path} has a line of more than ${LINE_CHARS_MAX} characters`);
    yield lines.map(withoutReturn);
    onBytes(stream.bytesRead);
  }
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
