import { systemSecretBytes } from '../../platform/random.ts';
import { connectRedis, disconnect, isConnected, type RedisLink, Script } from '../../cluster/redis.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { Finding } from './finding.ts';

const VERSION_MIN = 7;
const TIMEOUT_MS = 5_000;
/** A slower server delays everything. */
const SLOW_MS = 20;
const PINGS = 5;

/** Tests what the roles need: a script that writes and reads a stream, which is removed afterwards. */
const trialScript = new Script(`
redis.call('XADD', KEYS[1], '*', 'a', 'b')
redis.call('PEXPIRE', KEYS[1], ${TIMEOUT_MS})
return redis.call('XLEN', KEYS[1])
`);

/** Whether the shared server can be used, and its configuration. */
export async function checkRedis(url: string, timeoutMs = TIMEOUT_MS): Promise<readonly Finding[]> {
  const what = 'Redis';
  const { host } = new URL(url);
  const link = connectRedis(url);
  try {
    await withinTime(isConnected(link), timeoutMs);
    const key = `{crosstape:doctor}:${systemSecretBytes(8).toString('hex')}`;
    await trialScript.run(link, [key], []);
    await link.del(key);
    const tookMs = await medianPing(link);
    const version = await versionOf(link);
    const isOld = Number.parseInt(version, 10) < VERSION_MIN;
    const verdict = isOld ? 'fail' : tookMs > SLOW_MS ? 'warn' : 'ok';
    const words = isOld ? `, but ${VERSION_MIN} or later is needed` : '';
    const detail = `${host} runs version ${version}${words}; responds in ${tookMs.toFixed(1)} ms`;
    return [{ what, verdict, detail }, ...(await checkConfig(link))];
  } catch (error) {
    return [{ what, verdict: 'fail', detail: `${host} cannot be used: ${(error as Error).message}` }];
  } finally {
    disconnect(link);
  }
}

/** A managed server may hide its configuration. */
async function checkConfig(link: RedisLink): Promise<readonly Finding[]> {
  const what = 'Redis settings';
  try {
    const [, policy] = (await link.config('GET', 'maxmemory-policy')) as string[];
    const [, appendOnly] = (await link.config('GET', 'appendonly')) as string[];
    const problems = [
      ...(policy === 'noeviction' ? [] : [`maxmemory-policy is ${policy}: recorded data may be evicted`]),
      ...(appendOnly === 'yes' ? [] : ['appendonly is off: a restart may lose what is recorded']),
    ];
    const detail = problems.length === 0 ? 'noeviction, appendonly' : problems.join('; ');
    return [{ what, verdict: problems.length === 0 ? 'ok' : 'warn', detail }];
  } catch {
    const detail = 'not known; check that maxmemory-policy is noeviction and appendonly is on';
    return [{ what, verdict: 'warn', detail }];
  }
}

async function versionOf(link: RedisLink): Promise<string> {
  const info = await link.info('server');
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  return valkey ?? /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown';
}

async function medianPing(link: RedisLink): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < PINGS; n += 1) {
    const startMs = performance.now();
    await link.ping();
    took.push(performance.now() - startMs);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(PINGS / 2)] as number;
}

async function withinTime(done: Promise<void>, timeoutMs: number): Promise<void> {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    const timer = systemClock.after(timeoutMs, () =>
      reject(new Error(`no connection in ${timeoutMs / 1_000} s`)),
    );
    cancel = () => timer.cancel();
  });
  await Promise.race([done, late]).finally(cancel);
}
