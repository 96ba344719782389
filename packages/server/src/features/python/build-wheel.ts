import { createHash } from 'node:crypto';
import { storedZip, type ZipEntry } from './stored-zip.ts';

export const PROJECT = 'crosstape';
export const REQUIRES_PYTHON = '>=3.10';
/** Libraries that the client uses when they are installed. */
const extras: Readonly<Record<string, readonly string[]>> = {
  pandas: ['numpy', 'pandas'],
  polars: ['numpy', 'polars'],
  arrow: ['numpy', 'pyarrow'],
  live: ['websockets'],
};

export interface WheelParts {
  readonly version: string;
  /** Files of the package by their path in it, such as `crosstape/client.py`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Shown by `pip show` and package indexes, in Markdown. */
  readonly readme: string;
  readonly license: string;
}

export interface Wheel {
  readonly name: string;
  readonly body: Buffer;
}

/** A wheel (PEP 427) of pure Python: a zip of the package and its description. Equal parts make equal bytes. */
export function buildWheel({ version, files, readme, license }: WheelParts): Wheel {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`${version} is not a version that pip orders correctly`);
  const info = `${PROJECT}-${version}.dist-info`;
  const entries: ZipEntry[] = [
    ...[...files].map(([name, body]) => ({ name, body })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    { name: `${info}/METADATA`, body: Buffer.from(metadata(version, readme)) },
    { name: `${info}/WHEEL`, body: Buffer.from(WHEEL) },
    { name: `${info}/licenses/LICENSE`, body: Buffer.from(license) },
  ];
  const record = `${info}/RECORD`;
  const lines = entries.map(({ name, body }) => `${name},sha256=${digest(body)},${body.length}\n`);
  const body = storedZip([...entries, { name: record, body: Buffer.from(`${lines.join('')}${record},,\n`) }]);
  return { name: `${PROJECT}-${version}-py3-none-any.whl`, body };
}

const WHEEL = `Wheel-Version: 1.0
Generator: crosstape
Root-Is-Purelib: true
Tag: py3-none-any
`;

function metadata(version: string, readme: string): string {
  const optional = Object.entries(extras).flatMap(([extra, packages]) => [
    `Provides-Extra: ${extra}`,
    ...packages.map((name) => `Requires-Dist: ${name}; extra == "${extra}"`),
  ]);
  return `Metadata-Version: 2.1
Name: ${PROJECT}
Version: ${version}
Summary: Python client of Crosstape, the consolidated tape of crypto markets.
License: Apache-2.0
Requires-Python: ${REQUIRES_PYTHON}
Description-Content-Type: text/markdown
${optional.join('\n')}

${readme}`;
}

function digest(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url');
}
