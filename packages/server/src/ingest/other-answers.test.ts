import { afterEach, expect, test, vi } from 'vitest';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

async function answered(status: number, acceptedStatuses?: readonly number[]): Promise<void> {
  const request = { method: 'GET', path: '/oi', ...(acceptedStatuses && { acceptedStatuses }) } as const;
  rig = await startRig({
    resources: [fakeResource({ request })],
    prepare: (venue) => {
      venue.answer = (_, response) => void response.writeHead(status).end(oiBody(5));
    },
  });
  rig.clock.advance(250);
  await vi.waitFor(() => expect(rig.health('oi')?.error).not.toBe('No answer yet.'));
}

test.each([400, 404])('HTTP %d is an answer where the request says so', async (status) => {
  await answered(status, [400, 404]);
  expect(rig.health('oi')?.status).toBe('ok');
  expect(rig.snapshot()?.rows).toHaveLength(1);
});

test.each([
  [404, undefined],
  [404, [400]],
  [403, [400, 404]],
])('HTTP %d is none where it says %j', async (status, acceptedStatuses) => {
  await answered(status, acceptedStatuses);
  expect(rig.health('oi')?.status).not.toBe('ok');
  expect(rig.snapshot()).toBeUndefined();
});
