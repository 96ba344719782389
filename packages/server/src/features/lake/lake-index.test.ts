import { expect, it } from 'vitest';
import { type LakeFile, manifestOf } from './lake-folder.ts';
import { LakeIndex } from './lake-index.ts';
import { listObjects } from './list-objects.ts';

function fileOf(key: string): LakeFile {
  return { key, rows: 1, bytes: 1, sha256: '', md5: '', minTs: 0, maxTs: 0, complete: true, madeAtMs: 5 };
}

function lakeOf(keys: readonly string[]) {
  let manifests = 0;
  const lake = {
    files: keys.map(fileOf),
    manifest: (): string => {
      manifests += 1;
      return manifestOf(lake.files);
    },
  };
  return { lake, index: new LakeIndex(lake), manifests: () => manifests };
}

const byDay = ['candles/a', 'gaps/a', 'trades/venue=b/x', 'trades/venue=b/y', 'trades/venue=c/x'];

it('makes the manifest and the list once per change of the files', () => {
  const { lake, index, manifests } = lakeOf(byDay);
  const { body, md5 } = index.manifest;
  const { objects } = index;
  expect(objects.map(({ key }) => key)).toEqual([...byDay, 'manifest.json'].toSorted());
  expect(index.manifest.body).toBe(body);
  expect(index.objects).toBe(objects);
  expect(manifests()).toBe(1);
  lake.files = [...lake.files, fileOf('trades/venue=d/x')];
  expect(index.objects).toHaveLength(byDay.length + 2);
  expect(index.manifest.md5).not.toBe(md5);
  expect(index.manifest.body.toString()).toContain('trades/venue=d/x');
  expect(manifests()).toBe(2);
});

it('lists other keys without making the manifest', () => {
  const { index, manifests } = lakeOf(byDay);
  const query = { prefix: 'trades/', delimiter: '/', after: '', limit: 10 };
  expect(listObjects(index.objects, query).prefixes).toEqual(['trades/venue=b/', 'trades/venue=c/']);
  expect(manifests()).toBe(0);
});
