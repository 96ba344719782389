/** The part of docs/guides/endpoints.md that is printed: everything below this line. */
const HEADING = '## Every endpoint';

/** What was written by hand, followed by a row for each endpoint and stream, in documentation order. */
export function endpointsDocument(
  written: string,
  listed: readonly { readonly method?: string; readonly path: string; readonly summary: string }[],
): string {
  const [head = ''] = written.split(`${HEADING}\n`);
  const rows = listed.map(({ method = 'GET', path, summary }) => `| \`${method} ${path}\` | ${summary} |\n`);
  return `${head.trimEnd()}\n\n${HEADING}\n\nGenerated from the list that the service has.\n\n| | |\n|---|---|\n${rows.join('')}`;
}
