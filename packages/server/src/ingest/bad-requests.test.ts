import { Declined } from '@crosstape/venues';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

const declining = fakeResource({
  parse: (body) => {
    const { error } = body as { error?: 'limited' | 'blocked' | 'down' };
    if (error !== undefined) throw new Declined(error, `it says ${error}`);
    return { openInterest: [] };
  },
});

async function answered(body: string): Promise<void> {
  rig = await startRig({
    resources: [declining],
    prepare: (venue) => {
      venue.answer = (_, response) => void response.writeHead(400).end(body);
    },
  });
  rig.clock.advance(250);
  await vi.waitFor(() => expect(rig.health('oi')?.error).not.toBe('No answer yet.'));
}

test.each([
  { error: 'limited', status: 'limited', words: 'The venue limits us (it says limited).' },
  { error: 'blocked', status: 'blocked', words: 'The venue declines: it says blocked.' },
  { error: 'down', status: 'changed', words: 'The venue declines: it says down.' },
])(
  'the body of an HTTP 400 says that we are $error, and that is $status',
  async ({ error, status, words }) => {
    await answered(JSON.stringify({ error }));
    expect(rig.health('oi')).toMatchObject({ status, error: words });
    expect(rig.snapshot()).toBeUndefined();
  },
);

test('a limit that is reported with HTTP 400 causes a pause', async () => {
  await answered('{"error":"limited"}');
  const asked = rig.venue.asked.length;
  await rig.pass(4_000);
  expect(rig.venue.asked).toHaveLength(asked);
});

test.each(['<html>', oiBody(1), ''])(
  'an HTTP 400 is never an answer, whatever its body: %j',
  async (body) => {
    await answered(body);
    expect(rig.health('oi')).toMatchObject({ status: 'changed', error: 'The venue answered HTTP 400.' });
    expect(rig.snapshot()).toBeUndefined();
  },
);
