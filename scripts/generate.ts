import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { endpoints } from '../packages/server/src/features/endpoints.ts';
import { asyncApiDocument } from '../packages/server/src/gateway/asyncapi.ts';
import { gatewayDefinitions } from '../packages/server/src/features/gateway-definitions.ts';
import { schemas } from '../packages/server/src/features/schemas.ts';
import { openApiDocument } from '../packages/server/src/http/openapi.ts';
import { sourceTerms } from '../packages/venues/src/index.ts';
import { clientTypes, frameTypes } from './client-types.ts';
import { pythonEndpoints, pythonRecords, pythonVersion } from './python-client.ts';
import { recordsDocument } from './record-fields.ts';
import { sampleFieldsModule } from './sample-fields.ts';
import { sourcesDocument } from './source-list.ts';
import { streamDefinitions } from '../packages/server/src/features/streams.ts';

const openApi = openApiDocument(endpoints, streamDefinitions, schemas);
const asyncApi = asyncApiDocument(gatewayDefinitions);
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

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
  { path: 'packages/client/src/generated/api.ts', text: await clientTypes(openApi) },
  { path: 'packages/client/src/generated/frames.ts', text: await frameTypes(asyncApi) },
  { path: 'clients/python/crosstape/generated/version.py', text: pythonVersion(version) },
  { path: 'clients/python/crosstape/generated/records.py', text: pythonRecords(openApi) },
  { path: 'clients/python/crosstape/generated/endpoints.py', text: pythonEndpoints(openApi) },
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
