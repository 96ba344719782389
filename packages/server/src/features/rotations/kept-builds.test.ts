import { expect, it } from 'vitest';
import { JOBS_MAX, type RotationRecord } from './rotation-table.ts';
import { KeptBuilds } from './kept-builds.ts';

const prepared = Promise.resolve();

function recordOf(n: number, fields: Partial<RotationRecord> = {}): RotationRecord {
  const id = `b-${String(n).padStart(6, '0')}`;
  const counts = { trades: 0, totalTrades: 0, bars: 0 };
  return {
    id,
    specHash: id,
    resultKey: `rot:res:${n}`,
    submittedAtMs: n,
    isDegraded: false,
    status: 'queued',
    ...counts,
    ...fields,
  };
}

const ended = (n: number): RotationRecord => recordOf(n, { status: 'done', endedAtMs: n });

it('never refuses a build because of ended ones: the oldest are removed', () => {
  const builds = new KeptBuilds();
  for (let n = 0; n < JOBS_MAX; n += 1) builds.add({ record: ended(n), caller: '', address: '', prepared });
  expect(() => builds.checkLive('me', '192.0.2.1')).not.toThrow();
  expect(builds.evict('me')).toEqual(['b-000000']);
  builds.add({ record: recordOf(JOBS_MAX), caller: 'me', address: '192.0.2.1', prepared });
  expect(builds.all()).toHaveLength(JOBS_MAX);
});

it('keeps 100 ended builds of a caller, and those of others', () => {
  const builds = new KeptBuilds();
  builds.add({ record: ended(0), caller: 'other', address: '192.0.2.2', prepared });
  for (let n = 1; n <= 150; n += 1) {
    builds.evict('me');
    builds.add({ record: ended(n), caller: 'me', address: '192.0.2.1', prepared });
  }
  const own = builds.all().filter(({ caller }) => caller === 'me');
  expect(own).toHaveLength(100);
  expect(own[0]?.record.id).toBe('b-000051');
  expect(builds.get('b-000000')).toBeDefined();
});

/** Builds that each of these addresses gets to wait or run, with as many keys as it likes. */
function taken(addresses: readonly string[]): readonly number[] {
  const builds = new KeptBuilds();
  let n = 0;
  return addresses.map((address) => {
    let own = 0;
    for (let key = 0; key < 10; key += 1) {
      const caller = `key ${address} ${key}`;
      for (let i = 0; i < 3; i += 1) {
        try {
          builds.checkLive(caller, address);
        } catch {
          continue;
        }
        n += 1;
        own += 1;
        builds.add({ record: recordOf(n), caller, address, prepared });
      }
    }
    return own;
  });
}

it('gives an address 4 of the 32 slots, whatever keys it has, and a network 8', () => {
  expect(taken(['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8:1:1::/64'])).toEqual([4, 4, 4, 4]);
  const subnets = Array.from({ length: 20 }, (_, i) => `2001:db8:1:${i.toString(16)}::/64`);
  expect(taken([...subnets, '192.0.2.1'])).toEqual([4, 4, ...Array.from({ length: 18 }, () => 0), 4]);
});

it('does not give out a build again that was submitted before the clock was set back', () => {
  const builds = new KeptBuilds();
  const hourMs = 3_600_000;
  const record = recordOf(1, { submittedAtMs: 10 * hourMs, status: 'done', endedAtMs: 10 * hourMs });
  builds.add({ record, caller: '', address: '', prepared });
  expect(builds.reusable(record.specHash, 10 * hourMs + 1_000)).toBeDefined();
  expect(builds.reusable(record.specHash, 7 * hourMs)).toBeUndefined();
});
