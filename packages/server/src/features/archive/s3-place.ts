import { createReadStream } from 'node:fs';
import {
  type ArchivePlace,
  ArchiveError,
  DamagedFileError,
  type FileProof,
  MissingFileError,
} from './archive-place.ts';
import { checkBytes } from './folder-place.ts';
import { bytesBody, readAll, type S3Body, S3Client, type S3Options } from './s3-client.ts';
import { abortAbandoned, uploadInParts } from './s3-upload.ts';

/** An archive in a bucket of any S3-compatible store. */
export class S3Place implements ArchivePlace {
  readonly #client: S3Client;

  constructor(options: S3Options) {
    this.#client = new S3Client(options);
  }

  async put(key: string, path: string, proof: FileProof): Promise<void> {
    // A file that a process before has stored is only read.
    const isThere = await this.#check(key, proof).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    const sent = await this.#putFile(key, path, proof);
    try {
      await this.#check(key, proof);
    } catch (error) {
      // The existing parts may be from another file: not every store has an ETag that shows it.
      if (sent !== 'continued' || !(error instanceof DamagedFileError)) throw error;
      await this.#putFile(key, path, proof);
      await this.#check(key, proof);
    }
  }

  async putText(key: string, text: string): Promise<void> {
    await this.#putBody(key, bytesBody(Buffer.from(text)));
  }

  async read(key: string, start: number, end: number): Promise<Buffer> {
    return this.#client.retried(async () => {
      const headers = { range: `bytes=${start}-${end - 1}` };
      const reply = await this.#client.send({ method: 'GET', key, headers });
      const bytes = await readAll(reply, end - start);
      if (bytes.length < end - start) throw new ArchiveError(`${key} ends before byte ${end}`);
      return bytes;
    });
  }

  async *stream(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    const request = { method: 'GET', key, ...(headers && { headers }) } as const;
    yield* await this.#client.retried(() => this.#client.send(request));
  }

  async readText(key: string): Promise<string | undefined> {
    try {
      return await this.#client.text({ method: 'GET', key });
    } catch (error) {
      if (error instanceof MissingFileError) return undefined;
      throw error;
    }
  }

  async removeUnfinished(): Promise<number> {
    // Uploads that cannot be removed now are removed after the next day.
    return abortAbandoned(this.#client).catch(() => 0);
  }

  async #check(key: string, proof: FileProof): Promise<void> {
    await this.#client.retried(async () =>
      checkBytes(key, await this.#client.send({ method: 'GET', key }), proof),
    );
  }

  async #putFile(key: string, path: string, proof: FileProof): Promise<'new' | 'continued'> {
    const sent =
      proof.bytes > this.#client.partBytes
        ? await uploadInParts(this.#client, key, path, proof.bytes)
        : 'none';
    if (sent !== 'none') return sent;
    await this.#putBody(key, { ...proof, open: () => createReadStream(path) });
    return 'new';
  }

  async #putBody(key: string, body: S3Body): Promise<void> {
    await this.#client.retried(async () => {
      (await this.#client.send({ method: 'PUT', key, body })).resume();
    });
  }
}
