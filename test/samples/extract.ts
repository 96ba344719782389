/** A fenced block of a document. */
export interface Sample {
  readonly file: string;
  /** Of its first line. */
  readonly line: number;
  readonly language: string;
  /** Further words of the info string: how it is to be run, or `unrun`. */
  readonly marks: readonly string[];
  readonly text: string;
}

export function samplesOf(file: string, document: string): readonly Sample[] {
  const samples: Sample[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [i, line] of document.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (!open) open = { line: i + 2, info: fence[1] ?? '', lines: [] };
    else {
      const [language = '', ...marks] = open.info.trim().split(/\s+/);
      samples.push({ file, line: open.line, language, marks, text: open.lines.join('\n') });
      open = undefined;
    }
  }
  return samples;
}
