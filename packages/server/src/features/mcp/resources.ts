import { Answer } from '../../http/answer.ts';
import type { Page, Visit } from '../../http/route.ts';
import { Failure } from '../../platform/errors.ts';
import { tapeOf } from './inputs.ts';
import type { Rest } from './rest.ts';
import { readCoverage } from './tools/get-coverage.ts';

const DOCS = /^crosstape:\/\/docs\/([a-z0-9-]{1,64})$/;
const COVERAGE = /^crosstape:\/\/coverage\/(.{1,80})$/;
const DOC_PAGE = /^\/docs\/([a-z0-9-]+)\.md$/;
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

export interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Resources that clients can list: every page of the documentation. */
export function listResources(pages: readonly Page[]): readonly object[] {
  return docSlugs(pages).map((slug) => ({
    uri: `crosstape://docs/${slug}`,
    name: slug,
    title: `Documentation: ${slug.replaceAll('-', ' ')}`,
    mimeType: MARKDOWN,
  }));
}

export const resourceTemplates: readonly object[] = [
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
      'How complete the tape of a market was in the last 24 hours, such as crosstape://coverage/hyperliquid:BTC.',
    mimeType: JSON_TYPE,
  },
];

/** Throws a `Failure` when there is no such resource. */
export async function readResource(uri: string, rest: Rest, pages: readonly Page[]): Promise<Contents> {
  const slug = DOCS.exec(uri)?.[1];
  const page = slug !== undefined && pages.find(({ path }) => path === `/docs/${slug}.md`);
  if (page) return { uri, mimeType: MARKDOWN, text: await markdownOf(page) };
  const market = COVERAGE.exec(uri)?.[1];
  if (market === undefined) {
    throw new Failure(
      'not_found',
      `There is no resource ${uri}; resources/list and resources/templates/list name them.`,
    );
  }
  const { id, query } = tapeOf(decodeURIComponent(market));
  const { completePct, coverage, gaps, spans, meta } = await readCoverage(rest, query);
  const text = JSON.stringify({ market: id, completePct, coverage, gaps, spans, meta });
  return { uri, mimeType: JSON_TYPE, text };
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
