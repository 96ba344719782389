import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataFolderError, openDataFolder } from './data-folder.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('marks a new folder with its format and keeps tenants apart', async () => {
  const data = join(folder, 'deep/data');
  expect(await openDataFolder(data, 'sim/1')).toBe(join(data, 'sim/1'));
  expect(await openDataFolder(data, 'live')).toBe(join(data, 'live'));
  expect(JSON.parse(readFileSync(join(data, 'format.json'), 'utf8'))).toEqual({ version: 1 });
});

it.each(['{"version":2}', 'rubbish', '{}'])('refuses a folder whose format file says %s', async (text) => {
  writeFileSync(join(folder, 'format.json'), text);
  await expect(openDataFolder(folder, 'live')).rejects.toThrow(DataFolderError);
});

it('says in one line why a folder cannot be used', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(openDataFolder(join(folder, 'file'), 'live')).rejects.toThrow(/cannot be used/);
});
