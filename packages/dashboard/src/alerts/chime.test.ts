import { afterEach, expect, it, vi } from 'vitest';
import { chime } from './chime.ts';

afterEach(() => vi.unstubAllGlobals());

it('opens no audio before the first gesture: browsers refuse it with a warning', () => {
  const AudioContext = vi.fn();
  vi.stubGlobal('AudioContext', AudioContext);
  vi.stubGlobal('navigator', { userActivation: { hasBeenActive: false } });
  chime();
  expect(AudioContext).not.toHaveBeenCalled();
});
