import type { SourceTerms } from '../packages/core/src/index.ts';

/** The part of docs/sources.md that is printed: everything below this line. */
const HEADING = '## Every source';

/** What was written by hand, followed by a section of each source, from the list that the service has. */
export function sourcesDocument(written: string, sources: readonly SourceTerms[]): string {
  const [head = ''] = written.split(`${HEADING}\n`);
  const sections = sources.map(({ id, name, takes, trust, attribution, credit, termsUrl, termsNote }) =>
    [
      `### ${name}`,
      '',
      '| | |',
      '|---|---|',
      `| Id | \`${id}\` |`,
      `| Taken from it | ${takes} |`,
      `| Trust | ${trust} |`,
      `| Attribution | ${attribution} |`,
      ...(credit
        ? [`| Credit | [${credit.text}](${credit.url}), in \`meta.attribution\` and on panels |`]
        : []),
      `| Terms | ${termsUrl === undefined ? 'none that we know of' : `<${termsUrl}>`} |`,
      `| Note | ${termsNote} |`,
      '',
    ].join('\n'),
  );
  return `${head.trimEnd()}\n\n${HEADING}\n\nGenerated from the \`terms\` of every source in \`packages/venues/src\`.\n\n${sections.join('\n')}`;
}
