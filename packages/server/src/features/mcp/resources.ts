import { DAY_MS } from '@crosstape/core';
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { Answer } from '../../http/answer.ts';
import { clip } from '../../http/read-query.ts';
import type { Page, Visit } from '../../http/route.ts';
import { Failure } from '../../platform/errors.ts';
import { tapeOf } from './inputs.ts';
import type { LakeFile } from '../lake/lake-folder.ts';
import type { Rest } from './rest.ts';
import { readCoverage } from './tools/get-coverage.ts';

const DOCS = /^crosstape:\/\/docs\/([a-z0-9-]{1,64})$/;
const COVERAGE = /^crosstape:\/\/coverage\/(.{1,80})$/;
const DOC_PAGE = /^\/docs\/([a-z0-9-]+)\.md$/;
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';
const MANIFEST = 'crosstape://parquet/manifest';
/** Files that the manifest lists here: a few hundred kilobytes. */
const FILES_MAX = 1_000;

export interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Resources that clients can list: every page of the documentation, coverage, and the files of the lake. */
export function listResources(pages: readonly Page[]): readonly Resource[] {
  return [...docSlugs(pages).map(docResource), coverageResource, manifestResource];
}

const coverageResource = {
  uri: 'crosstape://coverage/hyperliquid:BTC',
  name: 'coverage-btc',
  title: 'Coverage of hyperliquid:BTC',
  description:
    'How complete the tape was in the last 24 hours. Other markets have the same address with their id.',
  mimeType: JSON_TYPE,
};

const manifestResource = {
  uri: MANIFEST,
  name: 'parquet-manifest',
  title: 'Files of the lake',
  description: `Sealed days as Parquet files below /lake: key, rows, bytes, sha256, minTs, maxTs, complete. The newest ${FILES_MAX} files.`,
  mimeType: JSON_TYPE,
};

function docResource(slug: string): Resource {
  return {
    uri: `crosstape://docs/${slug}`,
    name: slug,
    title: `Documentation: ${slug.replaceAll('-', ' ')}`,
    mimeType: MARKDOWN,
  };
}

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: 'crosstape://docs/{page}',
    name: 'docs',
    title: 'Documentation page',
    description: 'A page of the documentation as Markdown.',
    mimeType: MARKDOWN,
  },
  {
    uriTemplate: 'crosstape://coverage/{market}',
    name: 'coverage',
    title: 'Coverage of a market',
    description:
      'How complete the tape of a market was in the last 24 hours, such as crosstape://coverage/hyperliquid:BTC. Subscribe to it to be notified of every gap.',
    mimeType: JSON_TYPE,
  },
];

/** Throws a `Failure` if there is no such resource. */
export async function readResource(uri: string, rest: Rest, pages: readonly Page[]): Promise<Contents> {
  const page = docPage(uri, pages);
  if (page) return { uri, mimeType: MARKDOWN, text: await markdownOf(page) };
  if (uri === MANIFEST) return { uri, mimeType: JSON_TYPE, text: manifestText(rest) };
  const market = coverageMarket(uri);
  if (market === undefined) throw noResource(uri);
  const { id, query } = tapeOf(market);
  const { completePct, coverage, gaps, spans, meta } = await readCoverage(rest, query);
  const text = JSON.stringify({ market: id, completePct, coverage, gaps, spans, meta });
  return { uri, mimeType: JSON_TYPE, text };
}

/** Whether there is such a resource besides coverage. */
export function isFixedResource(uri: string, pages: readonly Page[]): boolean {
  return uri === MANIFEST || docPage(uri, pages) !== undefined;
}

export function noResource(uri: string): Failure {
  return new Failure(
    'not_found',
    `There is no resource ${clip(uri)}; resources/list and resources/templates/list name them.`,
  );
}

function docPage(uri: string, pages: readonly Page[]): Page | undefined {
  const slug = DOCS.exec(uri)?.[1];
  return slug === undefined ? undefined : pages.find(({ path }) => path === `/docs/${slug}.md`);
}

/** The market whose coverage a resource is; `undefined` for another resource. */
export function coverageMarket(uri: string): string | undefined {
  const market = COVERAGE.exec(uri)?.[1];
  if (market === undefined) return undefined;
  try {
    return decodeURIComponent(market);
  } catch {
    throw new Failure('bad_request', `${uri} is not a valid address.`);
  }
}

/** The list is replaced when a file is added. */
const manifests = new WeakMap<readonly LakeFile[], string>();

/** The newest files, as `/lake/manifest.json` describes them. */
function manifestText({ lakeFiles }: Rest): string {
  const known = manifests.get(lakeFiles);
  if (known !== undefined) return known;
  const files = newestFiles(lakeFiles, FILES_MAX);
  const text = JSON.stringify({ version: 1, totalFiles: lakeFiles.length, files });
  manifests.set(lakeFiles, text);
  return text;
}

/** The files with the newest rows, newest first. Sorts the newest days only: there are hundreds of thousands in all. */
export function newestFiles<File extends Pick<LakeFile, 'maxTs'>>(
  all: readonly File[],
  count: number,
): readonly File[] {
  const dayOf = ({ maxTs }: File): number => Math.floor((maxTs ?? 0) / DAY_MS);
  const perDay = new Map<number, number>();
  for (const file of all) perDay.set(dayOf(file), (perDay.get(dayOf(file)) ?? 0) + 1);
  let firstDay = -Infinity;
  let found = 0;
  for (const [day, files] of [...perDay].toSorted(([a], [b]) => b - a)) {
    if (found >= count) break;
    firstDay = day;
    found += files;
  }
  return all
    .filter((file) => dayOf(file) >= firstDay)
    .toSorted((a, b) => (b.maxTs ?? 0) - (a.maxTs ?? 0))
    .slice(0, count);
}

function docSlugs(pages: readonly Page[]): readonly string[] {
  return pages.flatMap(({ path }) => DOC_PAGE.exec(path)?.[1] ?? []);
}

/** Pages of the documentation are the same for every visit. */
async function markdownOf(page: Page): Promise<string> {
  const answer = await page.handle({} as Visit);
  if (answer instanceof Answer) return answer.parts.body.toString();
  return 'body' in answer ? answer.body : '';
}
