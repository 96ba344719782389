import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { endpoints } from '../packages/server/src/features/endpoints.ts';
import { asyncApiDocument } from '../packages/server/src/gateway/asyncapi.ts';
import { gatewayDefinitions } from '../packages/server/src/features/gateway-definitions.ts';
import { schemas } from '../packages/server/src/features/schemas.ts';
import { ratioVenueIds } from '../packages/server/src/features/perps/ratio-views.ts';
import { openApiDocument } from '../packages/server/src/http/openapi.ts';
import { catalog, sourceTerms, venues } from '../packages/venues/src/index.ts';
import { clientTypes, frameTypes, withoutForms } from './client-types.ts';
import { endpointsDocument } from './endpoint-list.ts';
import { pythonEndpoints, pythonRecords, pythonVersion } from './python-client.ts';
import { recordsDocument } from './record-fields.ts';
import { sampleFieldsModule } from './sample-fields.ts';
import { sourcesDocument } from './source-list.ts';
import { streamDefinitions } from '../packages/server/src/features/streams.ts';

const openApi = openApiDocument(endpoints, streamDefinitions, schemas);
const clientApi = withoutForms(openApi);
const asyncApi = asyncApiDocument(gatewayDefinitions);
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** A name this long is replaced by the venue's first alias where there is little room. */
const LONG_NAME_CHARS = 9;

/** Everything in the repository that is made from something else. `--check` only says whether it is up to date. */
const generated: readonly { readonly path: string; readonly text: string }[] = [
  {
    path: 'docs/openapi.json',
    text: `${JSON.stringify(openApi, null, 2)}\n`,
  },
  {
    path: 'docs/asyncapi.json',
    text: `${JSON.stringify(asyncApi, null, 2)}\n`,
  },
  {
    path: 'docs/records.md',
    text: recordsDocument(await readFile(fileOf('docs/records.md'), 'utf8'), openApi, asyncApi),
  },
  {
    path: 'docs/sources.md',
    text: sourcesDocument(await readFile(fileOf('docs/sources.md'), 'utf8'), sourceTerms),
  },
  {
    path: 'docs/guides/endpoints.md',
    text: endpointsDocument(await readFile(fileOf('docs/guides/endpoints.md'), 'utf8'), [
      ...endpoints,
      ...streamDefinitions,
    ]),
  },
  { path: 'packages/client/src/generated/api.ts', text: await clientTypes(clientApi) },
  { path: 'packages/client/src/generated/frames.ts', text: await frameTypes(asyncApi, clientApi) },
  { path: 'clients/python/crosstape/generated/version.py', text: pythonVersion(version) },
  { path: 'clients/python/crosstape/generated/records.py', text: pythonRecords(clientApi) },
  { path: 'clients/python/crosstape/generated/endpoints.py', text: pythonEndpoints(clientApi) },
  { path: 'packages/dashboard/src/generated/venues.ts', text: venuesModule() },
  {
    path: 'packages/server/src/capture/generated/sample-fields.ts',
    text: sampleFieldsModule(new URL('../packages/venues/src/', import.meta.url)),
  },
];

const isCheck = process.argv.includes('--check');
for (const { path, text } of generated) {
  const file = fileOf(path);
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before === text) continue;
  if (isCheck) {
    console.error(`${path} is stale: run \`npm run generate\``);
    process.exitCode = 1;
  } else {
    await writeFile(file, text);
    console.log(`wrote ${path}`);
  }
}

function ratioSeries(): readonly { readonly venue: string; readonly view: string }[] {
  return venues.flatMap(({ id: venue }) =>
    Object.entries(ratioVenueIds).flatMap(([view, ids]) => (ids.includes(venue) ? [{ venue, view }] : [])),
  );
}

/** The venues as the dashboard names them: the perpetual ones in order, and the names of all. */
function venuesModule(): string {
  const names = new Map([...sourceTerms, ...catalog].map(({ id, name }) => [id, name]));
  const short = catalog.flatMap(({ id, name, aliases: [alias] }) =>
    name.length >= LONG_NAME_CHARS && alias ? [[id, alias.toUpperCase()] as const] : [],
  );
  const listed = (value: unknown): string => JSON.stringify(value, null, 2);
  return `// Made by \`npm run generate\` from packages/venues.
export const perpVenues = ${listed(venues.map(({ id }) => id))} as const;

/** Report open interest in contracts; the others in USD only, which changes with the price and is not recorded. */
export const contractVenues = ${listed(venues.filter(({ perp }) => !perp.isOiUsdOnly).map(({ id }) => id))} as const;

/** Long/short ratios with a history: of all accounts, or of the largest traders. */
export const ratioSeries = ${listed(ratioSeries())} as const;

export const venueNames: Readonly<Record<string, string>> = ${listed(Object.fromEntries(names))};

export const shortNames: Readonly<Record<string, string>> = ${listed(Object.fromEntries(short))};
`;
}
