import { createHash } from 'node:crypto';
import type { Lake } from './lake.ts';
import type { LakeFile } from './lake-folder.ts';
import { MANIFEST_KEY } from './lake-key.ts';
import { firstAt, type LakeObject } from './list-objects.ts';

type IndexedLake = Pick<Lake, 'files' | 'manifest'>;

interface ManifestContent {
  readonly body: Buffer;
  readonly md5: string;
  readonly madeAtMs: number;
}

/** `manifest.json`, whose bytes are made when they are first needed. */
class Manifest implements LakeObject {
  readonly key = MANIFEST_KEY;
  readonly #lake: IndexedLake;
  readonly #files: readonly LakeFile[];
  #made: ManifestContent | undefined;

  constructor(lake: IndexedLake, files: readonly LakeFile[]) {
    this.#lake = lake;
    this.#files = files;
  }

  get body(): Buffer {
    return this.#content.body;
  }

  get bytes(): number {
    return this.#content.body.length;
  }

  get md5(): string {
    return this.#content.md5;
  }

  get madeAtMs(): number {
    return this.#content.madeAtMs;
  }

  get #content(): ManifestContent {
    if (this.#made) return this.#made;
    const body = Buffer.from(this.#lake.manifest());
    const md5 = createHash('md5').update(body).digest('hex');
    const madeAtMs = this.#files.reduce((newest, file) => Math.max(newest, file.madeAtMs), 0);
    return (this.#made = { body, md5, madeAtMs });
  }
}

/** The manifest and the list of all objects. Made once per change of the files. */
export class LakeIndex {
  readonly #lake: IndexedLake;
  #current: { readonly files: readonly LakeFile[]; readonly manifest: Manifest } | undefined;
  #objects: readonly LakeObject[] | undefined;

  constructor(lake: IndexedLake) {
    this.#lake = lake;
  }

  get manifest(): Manifest {
    const { files } = this.#lake;
    if (this.#current?.files !== files) {
      this.#current = { files, manifest: new Manifest(this.#lake, files) };
      this.#objects = undefined;
    }
    return this.#current.manifest;
  }

  /** In the order of their keys. */
  get objects(): readonly LakeObject[] {
    const { manifest } = this;
    const files: readonly LakeObject[] = this.#lake.files;
    return (this.#objects ??= files.toSpliced(firstAt(files, MANIFEST_KEY), 0, manifest));
  }
}
