import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FolderPlace, systemSteps } from './folder-place.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = 'a day';
const proof = { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };

it('keeps a file only when what it reads back is what was to be written', async () => {
  const source = join(folder, 'source');
  writeFileSync(source, text);
  const place = new FolderPlace(join(folder, 'archive'));
  await place.put('a/day', source, proof);
  expect(readFileSync(join(folder, 'archive/a/day'), 'utf8')).toBe(text);

  const damaging = new FolderPlace(join(folder, 'archive'), {
    ...systemSteps,
    async copy(from, to) {
      await systemSteps.copy(from, to);
      appendFileSync(to, '!');
    },
  });
  await expect(damaging.put('a/other', source, proof)).rejects.toThrow('a/other');
  expect(existsSync(join(folder, 'archive/a/other'))).toBe(false);
});
