import { readFileSync } from 'node:fs';

/**
 * Prints what production runs on as a CycloneDX document, read from the lock file. `npm sbom --omit dev` leaves out
 * packages that a workspace needs and the root also has for its tests (`ws`, `undici`).
 */
interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, Locked>>;
};

/** `sha512-<base64>` as CycloneDX spells it. */
function hashesOf(integrity: string): readonly object[] {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  const alg = algorithm.toUpperCase().replace('SHA', 'SHA-');
  return [{ alg, content: Buffer.from(digest, 'base64').toString('hex') }];
}

const components = Object.entries(lock.packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  .map(([path, locked]) => {
    const name = locked.name ?? path.replace(/^.*node_modules\//, '');
    const version = locked.version ?? '';
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return {
      type: 'library',
      'bom-ref': `${purl}#${path}`,
      name,
      version,
      purl,
      scope: locked.optional ? 'optional' : 'required',
      ...(locked.license !== undefined && { licenses: [{ expression: locked.license }] }),
      ...(locked.integrity !== undefined && { hashes: hashesOf(locked.integrity) }),
    };
  });

const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', name: lock.name, version: lock.version } },
  components,
};
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
