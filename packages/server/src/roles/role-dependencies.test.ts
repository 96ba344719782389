import { expect, it, vi } from 'vitest';
import { Stops } from './role-dependencies.ts';

it('stops the other way round, and is not held up by what never ends', async () => {
  const stopped: string[] = [];
  const stops = new Stops();
  stops.add(() => void stopped.push('first'));
  stops.add(() => new Promise(() => undefined));
  stops.add(() => void stopped.push('last'));
  const onLate = vi.fn();
  stops.limit(10, onLate);
  await stops.stop();
  expect(onLate).toHaveBeenCalledOnce();
  expect(stopped).toEqual(['last']);
});

it('continues when what was late ends after all', async () => {
  const stopped: string[] = [];
  const stops = new Stops();
  let end: () => void = () => undefined;
  stops.add(() => void stopped.push('first'));
  stops.add(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  stops.limit(10, () => end());
  await stops.stop();
  expect(stopped).toEqual(['first']);
});
