import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: string | readonly string[];
}

const file = new URL('../../deploy/scale/docker-compose.yml', import.meta.url);
const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
};

it('deploy/scale listens on the loopback, enforces quotas, and hardens every container', () => {
  const names = Object.keys(services);
  expect(names.length).toBeGreaterThan(5);
  for (const [name, { ports = [], read_only: isReadOnly, security_opt: options }] of Object.entries(
    services,
  )) {
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    expect(isReadOnly, name).toBe(true);
    expect(options, name).toContain('no-new-privileges:true');
  }
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
