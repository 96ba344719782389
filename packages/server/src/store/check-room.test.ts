import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRoom } from './check-room.ts';

it('lets a folder with room pass, leaves nothing in it, and rejects where nothing can be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  await checkRoom(folder);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  await expect(checkRoom(folder)).rejects.toThrow('ENOENT');
});
