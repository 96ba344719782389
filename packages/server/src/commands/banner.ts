import { resolve } from 'node:path';
import { version } from '../platform/product.ts';

/** The state of the service once it listens. */
export interface Started {
  readonly url: string;
  readonly upstream: string;
  readonly storePath: string;
}

/** The line that programs wait for. */
export function readyLine({ url, upstream, storePath }: Started): string {
  return `crosstape listening on ${url} (upstream: ${upstream}, store: ${storePath})`;
}

/** The banner for a terminal. */
export function banner(started: Started): string {
  const { url, upstream, storePath } = started;
  const market = upstream === 'live' ? 'live: the real venues' : 'simulated: every answer is labelled sim:';
  const rows = [
    ['Market', market],
    ['Dashboard', `${url}/`],
    ['API', `${url}/api/v1`],
    ['Docs', `${url}/docs`],
    ['Data', /^rediss?:/.test(storePath) ? storePath : resolve(storePath)],
    ['Stop', 'Ctrl+C'],
  ].map(([name = '', value]) => `  ${name.padEnd(10)} ${value}`);
  return `\nCrosstape ${version}, the consolidated tape of crypto\n${readyLine(started)}\n\n${rows.join('\n')}\n`;
}
