import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  clearUnfinished,
  DataFolderError,
  isUnfinished,
  markFinished,
  markUnfinished,
  openDataFolder,
  datasetsOf,
} from './data-folder.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('marks a new folder with its format and keeps tenants apart', async () => {
  const data = join(folder, 'deep/data');
  expect(await openDataFolder(data, 'sim/1')).toBe(join(data, 'sim/1'));
  expect(await openDataFolder(data, 'live')).toBe(join(data, 'live'));
  expect(JSON.parse(readFileSync(join(data, 'format.json'), 'utf8'))).toEqual({ version: 2 });
});

it.each(['{"version":3}', 'garbage', '{}'])('refuses a folder whose format file says %s', async (text) => {
  writeFileSync(join(folder, 'format.json'), text);
  await expect(openDataFolder(folder, 'live')).rejects.toThrow(DataFolderError);
});

it('says in one line why a folder cannot be used', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(openDataFolder(join(folder, 'file'), 'live')).rejects.toThrow(/cannot be used/);
});

it('throws away what was left half made, and nothing else', async () => {
  const path = await openDataFolder(folder, 'sim/1');
  writeFileSync(join(path, 'data.mdb'), '');
  await markUnfinished(path);
  expect(await isUnfinished(path)).toBe(true);
  await clearUnfinished(path);
  expect(readdirSync(path)).toEqual([]);
  writeFileSync(join(path, 'data.mdb'), '');
  await markUnfinished(path);
  await markFinished(path);
  await clearUnfinished(path);
  expect(readdirSync(path)).toEqual(['data.mdb']);
});

it('lists the datasets of a folder without creating any', async () => {
  expect(await datasetsOf(join(folder, 'none'))).toEqual([]);
  expect(existsSync(join(folder, 'none'))).toBe(false);
  for (const tenant of ['sim/7', 'sim/1', 'live']) await openDataFolder(folder, tenant);
  mkdirSync(join(folder, 'other'));
  expect(await datasetsOf(folder)).toEqual(['live', 'sim/1', 'sim/7']);
  writeFileSync(join(folder, 'format.json'), '{"version":3}');
  await expect(datasetsOf(folder)).rejects.toThrow(/format version 3/);
});
