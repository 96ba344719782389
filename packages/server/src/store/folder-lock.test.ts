import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

it('lets one hold a folder at a time, and another after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  const first = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
  await first.release();
  const second = await lockFolder(folder);
  await second.release();
  rmSync(folder, { recursive: true });
});
