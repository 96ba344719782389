import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledEntry } from '../platform/testing/bundled-entry.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const PASSWORD = 'p@ss/word';
const SENTINEL_PASSWORD = 'other:word';
const program = fileURLToPath(bundledEntry(new URL('./testing/ping-redis.ts', import.meta.url)));

let folder: string;
let certificate: string;
let master: TestRedis;
let sentinel: TestRedis;

/** Output of a process that trusts the test's certificate, or only those of the system. */
function ping(address: string, isTrusted = true): Promise<string> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const trust = isTrusted ? { NODE_EXTRA_CA_CERTS: certificate } : {};
  return new Promise((resolve) => {
    execFile(process.execPath, [program, address], { env: { ...env, ...trust } }, (error, stdout, stderr) =>
      resolve(error ? stderr : stdout),
    );
  });
}

describe.runIf(hasRedis)('a Redis over TLS with a password', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosstape-tls-'));
    certificate = join(folder, 'certificate.pem');
    const key = join(folder, 'key.pem');
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key];
    execFileSync(
      'openssl',
      ['req', '-x509', '-nodes', '-days', '1', ...made, '-out', certificate, ...subject],
      {
        stdio: 'ignore',
      },
    );
    const files = { certificate, key };
    master = await TestRedis.startSecure({ ...files, password: PASSWORD });
    const passwords = { password: SENTINEL_PASSWORD, masterPassword: PASSWORD };
    sentinel = await TestRedis.startSentinel(master.port, { ...files, ...passwords });
  });
  afterAll(async () => {
    await sentinel?.close();
    await master?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const access = (password: string): string => `rediss://:${encodeURIComponent(password)}@127.0.0.1`;

  it.concurrent('is used by a process that trusts its certificate and knows the password', async () => {
    expect(await ping(`${access(PASSWORD)}:${master.port}`)).toBe('hello');
  });

  it.concurrent.each([
    ['the certificate is not trusted', PASSWORD, false],
    ['the password is wrong', 'wrong', true],
  ])('is not used when %s', async (_, password, isTrusted) => {
    expect(await ping(`${access(password)}:${master.port}`, isTrusted)).toContain('no connection');
  });

  it.concurrent('is found through a sentinel with a certificate and its own password', async () => {
    const query = `sentinel=mymaster&sentinelPassword=${encodeURIComponent(SENTINEL_PASSWORD)}`;
    expect(await ping(`${access(PASSWORD)}:${sentinel.port}?${query}`)).toBe('hello');
  });
});
