import { readFileSync } from 'node:fs';

interface PackageFile {
  readonly version: string;
  readonly homepage: string;
}

/** The server's package.json lies two folders above both `src/platform` and `dist/platform`. */
const { version: packageVersion, homepage } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as PackageFile;

export const version: string = packageVersion;

/** Sent with every request and every socket handshake: several sources refuse programs that do not identify themselves. */
export const userAgent = `crosstape/${version} (+${homepage})`;
