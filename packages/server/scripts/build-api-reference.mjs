/** Lays the one script of the API reference beside the compiled server, taken out of its package by the package's own plugin. */
import { mkdir, writeFile } from 'node:fs/promises';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

const folder = new URL('../dist/', import.meta.url);
const app = fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`the plugin answers ${statusCode} for its script`);
// What describes the script to a debugger is not served.
const script = rawPayload.toString().replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
await mkdir(folder, { recursive: true });
await writeFile(new URL('scalar.js', folder), script);
