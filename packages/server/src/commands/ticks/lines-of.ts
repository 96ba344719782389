import { createReadStream } from 'node:fs';

const PART_BYTES = 256 * 1024;
/** A line longer than this is no trade. */
const LINE_CHARS_MAX = 4_096;

/** The lines of a text, in batches. The mark some programs put at its start is left out, as is a return before a line's end. */
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
