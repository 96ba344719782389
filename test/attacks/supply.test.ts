import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: string | readonly string[];
}

function servicesIn(path: string): Readonly<Record<string, Service>> {
  const text = readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
  return (parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> }).services;
}

const services = servicesIn('scale/docker-compose.yml');

it.each(['docker-compose.yml', 'scale/docker-compose.yml'])(
  'deploy/%s listens on the loopback, and hardens every container',
  (path) => {
    const all = Object.entries(servicesIn(path));
    expect(all.length).toBeGreaterThan(5);
    for (const [name, service] of all) {
      for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toContain('no-new-privileges:true');
    }
  },
);

it('deploy/scale enforces quotas', () => {
  for (const name of ['gateway-a', 'gateway-b'])
    expect(services[name]?.environment?.QUOTA, name).toBe('enforce');
});

it('deploy/scale has a Redis that refuses to start without a password', () => {
  expect(services.redis?.command).toMatch(/--requirepass \$\{REDIS_PASSWORD:\?/);
  for (const [name, { environment }] of Object.entries(services)) {
    const url = environment?.REDIS_URL;
    if (url !== undefined) expect(url, name).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?/);
  }
});

it('deploy has a Redis that refuses to start without a password', () => {
  const own = servicesIn('docker-compose.yml');
  const script = own['redis']?.command?.[2]?.replaceAll('$$', '$') ?? '';
  const run = (password: string) =>
    spawnSync('sh', ['-c', script.replace('exec ', 'exec echo ')], {
      env: { PATH: process.env['PATH'], REDISCLI_AUTH: password },
      encoding: 'utf8',
    });
  expect(run('')).toMatchObject({ status: 1, stderr: 'set REDIS_PASSWORD\n' });
  expect(run('a b').stdout).toContain('--requirepass a b\n');
  const urls = Object.values(own).flatMap(({ environment }) => environment?.['REDIS_URL'] ?? []);
  expect(urls).toHaveLength(4);
  for (const url of urls) expect(url).toBe('redis://:${REDIS_PASSWORD-}@redis:6379');
});

it('lists what production runs on as a CycloneDX document', () => {
  const root = new URL('../../', import.meta.url);
  const { stdout } = spawnSync('npm', ['run', '-s', 'sbom'], { cwd: root, encoding: 'utf8' });
  const { bomFormat, components } = JSON.parse(stdout) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string; readonly purl: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['lmdb', 'ws', 'pino', 'undici']));
  expect(names).not.toContain('vitest');
});

it('allows install scripts by name only, and none that reports to a third party', () => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
  const { allowScripts } = read('package.json') as { allowScripts: Readonly<Record<string, boolean>> };
  const { packages } = read('package-lock.json') as {
    packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const withScripts = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? path.replace(/^.*node_modules\//, '') : [],
  );
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScripts)].toSorted());
  expect(allowScripts).toMatchObject({ '@scarf/scarf': false, ccxt: false });
});
