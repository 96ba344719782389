import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import { isArchiveKey } from './archive-catalog.ts';
import { ArchiveError } from './archive-place.ts';
import { bytesBody, isFinal, readAll, type S3Client, S3Refusal } from './s3-client.ts';

/** An upload that was begun earlier and is not finished will not be. */
const ABANDONED_MS = 3 * 86_400_000;
const REPLY_BYTES_MAX = 65_536;
/** Transient errors. */
const BUSY = /<Code>(InternalError|ServiceUnavailable|SlowDown)<\/Code>/;
const MD5 = /^[0-9a-f]{32}$/;

interface Upload {
  /** Including the prefix. */
  readonly fullKey: string;
  readonly id: string;
  readonly begunMs: number;
}

interface StoredPart {
  readonly etag: string;
  readonly bytes: number;
}

/**
 * Uploads a file in parts, skipping those that the store already has: an upload of a process that ended, or of a failed
 * round, is continued. `none`: the store has no multipart uploads.
 */
export async function uploadInParts(
  client: S3Client,
  key: string,
  path: string,
  bytes: number,
): Promise<'new' | 'continued' | 'none'> {
  const found = await findUpload(client, key);
  const stored = found && (await storedParts(client, key, found.id));
  const id = stored ? found.id : await beginUpload(client, key);
  if (id === undefined) return 'none';
  const { partBytes } = client;
  const etags: string[] = [];
  const file = await open(path, 'r');
  try {
    for (let at = 0; at < bytes; at += partBytes) {
      throwIfGivenUp();
      const number = etags.length + 1;
      const part = await readPart(file, at, Math.min(partBytes, bytes - at));
      const known = stored?.get(number);
      etags.push(
        known && isSame(known, part) ? known.etag : await sendPart(client, key, { id, number, part }),
      );
    }
  } finally {
    await file.close();
  }
  await completeUpload(client, key, id, etags);
  return stored ? 'continued' : 'new';
}

/**
 * Aborts old uploads of the archive: orphaned parts are billed but not listed. The bucket may have uploads of other
 * programs. Returns how many.
 */
export async function abortAbandoned(client: S3Client): Promise<number> {
  const uploads = await listUploads(client, client.fullKey(''));
  const abandoned = uploads.filter(
    ({ fullKey, begunMs }) => client.nowMs - begunMs > ABANDONED_MS && isArchiveKey(keyOf(client, fullKey)),
  );
  for (const upload of abandoned) await abortUpload(client, upload);
  return abandoned.length;
}

/** The newest upload of a key that is not finished; older ones are aborted. */
async function findUpload(client: S3Client, key: string): Promise<Upload | undefined> {
  const fullKey = client.fullKey(key);
  const uploads = (await listUploads(client, fullKey)).filter((one) => one.fullKey === fullKey);
  const [newest, ...older] = uploads.toSorted((a, b) => b.begunMs - a.begunMs);
  for (const upload of older) await abortUpload(client, upload);
  return newest;
}

/** Empty where the store cannot list them, or the keys may not. */
async function listUploads(client: S3Client, prefix: string): Promise<readonly Upload[]> {
  const uploads: Upload[] = [];
  for (let after: Readonly<Record<string, string>> | undefined = {}; after; ) {
    const query: Readonly<Record<string, string>> = { uploads: '', prefix, ...after };
    const text: string = (await client.text({ method: 'GET', query }).catch(undefinedIfFinal)) ?? '';
    for (const [, xml = ''] of text.matchAll(/<Upload>(.*?)<\/Upload>/gs))
      uploads.push({
        fullKey: textOf(xml, 'Key'),
        id: textOf(xml, 'UploadId'),
        begunMs: Date.parse(textOf(xml, 'Initiated')),
      });
    const next = {
      'key-marker': textOf(text, 'NextKeyMarker'),
      'upload-id-marker': textOf(text, 'NextUploadIdMarker'),
    };
    after = textOf(text, 'IsTruncated') === 'true' ? next : undefined;
  }
  return uploads;
}

/** By number; `undefined` if the upload no longer exists. */
async function storedParts(
  client: S3Client,
  key: string,
  id: string,
): Promise<ReadonlyMap<number, StoredPart> | undefined> {
  const parts = new Map<number, StoredPart>();
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const query: Readonly<Record<string, string>> = { uploadId: id, 'part-number-marker': after };
    const text: string | undefined = await client.text({ method: 'GET', key, query }).catch(undefinedIfFinal);
    if (text === undefined) return undefined;
    for (const [, xml = ''] of text.matchAll(/<Part>(.*?)<\/Part>/gs))
      parts.set(Number(textOf(xml, 'PartNumber')), {
        etag: textOf(xml, 'ETag'),
        bytes: Number(textOf(xml, 'Size')),
      });
    after = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextPartNumberMarker') : undefined;
  }
  return parts;
}

/** The id of a new upload. A store that refuses gets the file in one request, which reports the error. */
async function beginUpload(client: S3Client, key: string): Promise<string | undefined> {
  const text = await client.text({ method: 'POST', key, query: { uploads: '' } }).catch(undefinedIfFinal);
  return textOf(text ?? '', 'UploadId') || undefined;
}

async function sendPart(
  client: S3Client,
  key: string,
  { id, number, part }: { readonly id: string; readonly number: number; readonly part: Buffer },
): Promise<string> {
  const query = { partNumber: String(number), uploadId: id };
  const body = bytesBody(part);
  return client.retried(async () => {
    const reply = await client.send({ method: 'PUT', key, query, body });
    reply.resume();
    const { etag } = reply.headers;
    if (etag === undefined) throw new ArchiveError(`S3 returned no ETag for part ${number} of ${key}`);
    return etag;
  });
}

async function completeUpload(
  client: S3Client,
  key: string,
  id: string,
  etags: readonly string[],
): Promise<void> {
  const parts = etags.map(
    (etag, i) =>
      `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  );
  const body = bytesBody(Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`));
  const request = { method: 'POST', key, query: { uploadId: id }, body } as const;
  try {
    await client.retried(async () => {
      const text = (await readAll(await client.send(request), REPLY_BYTES_MAX)).toString();
      // The reply begins before the store is done: an error may follow its 200.
      if (text.includes('<Error>')) throw client.refusal(request, BUSY.test(text) ? 503 : 400, text);
    });
  } catch (error) {
    // The reply to an earlier attempt was lost: the stored file is read back in any case.
    if (error instanceof S3Refusal && error.code === 'NoSuchUpload') return;
    // These parts cannot be joined: the next attempt starts from scratch.
    if (isFinal(error)) await abortUpload(client, { fullKey: client.fullKey(key), id, begunMs: 0 });
    throw error;
  }
}

async function abortUpload(client: S3Client, { fullKey, id }: Upload): Promise<void> {
  await client
    .text({ method: 'DELETE', key: keyOf(client, fullKey), query: { uploadId: id } })
    .catch(undefinedIfFinal);
}

function keyOf(client: S3Client, fullKey: string): string {
  return fullKey.slice(client.fullKey('').length);
}

/** Whether the store has this part. If the ETag is not an MD5, reading back the whole file decides. */
function isSame({ etag, bytes }: StoredPart, part: Buffer): boolean {
  if (bytes !== part.length) return false;
  const tag = etag.replaceAll('"', '');
  return !MD5.test(tag) || tag === createHash('md5').update(part).digest('hex');
}

async function readPart(file: FileHandle, start: number, bytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
  if (bytesRead < bytes) throw new Error(`the file ends before byte ${start + bytes}`);
  return buffer;
}

function undefinedIfFinal(error: unknown): undefined {
  if (isFinal(error)) return undefined;
  throw error;
}

/** The text of the first element of this name. */
function textOf(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, entity: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex as string, 16));
    return entities[entity] ?? whole;
  });
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
