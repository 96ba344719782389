import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FakeUpload {
  readonly key: string;
  readonly begunMs: number;
  readonly parts: Map<number, Buffer>;
}

export interface FakeRequest {
  readonly method: string;
  /** Decoded, with the bucket. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A bucket that keeps its files in memory, with uploads in parts as S3 has them. Signatures are not checked. */
export class FakeS3 {
  /** By path, with the bucket. */
  readonly objects = new Map<string, Buffer>();
  /** By id. */
  readonly uploads = new Map<string, FakeUpload>();
  /** Method, path, and of uploads `begin`, `part 3`, `parts`, `complete`, `abort` or `uploads`. */
  readonly requests: string[] = [];
  /** Answers a request instead, and returns true. */
  fault: (request: FakeRequest) => boolean = () => false;
  /** The ETag of a part. */
  etagOf = (part: Buffer): string => createHash('md5').update(part).digest('hex');
  /** When uploads begin. */
  nowMs = 0;
  /** Entries in a page of a list. */
  pageMax = 1_000;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#reply(request, response).catch(() => response.destroy());
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  begin(key: string, begunMs: number): string {
    const id = randomUUID();
    this.uploads.set(id, { key, begunMs, parts: new Map() });
    return id;
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://fake');
    const path = decodeURIComponent(pathname);
    const method = request.method ?? '';
    this.requests.push([method, path, ...stepOf(method, query)].join(' '));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = { method, path, query, body: Buffer.concat(chunks), request, response };
    if (this.fault(asked)) return;
    if (query.has('uploads') || query.has('uploadId')) return this.#replyUpload(asked);
    if (method === 'PUT') {
      this.objects.set(path, asked.body);
      response.end();
      return;
    }
    const found = this.objects.get(path);
    if (!found) return refuse(response, 404, 'NoSuchKey');
    const [, start = 0, end = found.length] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    response.end(found.subarray(Number(start), Number(end) + 1));
  }

  #replyUpload({ method, path, query, body, response }: FakeRequest): void {
    if (query.has('uploads')) {
      if (method === 'GET') return void response.end(this.#listUploads(path, query));
      const id = this.begin(path, this.nowMs);
      return void response.end(`<R><UploadId>${id}</UploadId></R>`);
    }
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (!upload) return refuse(response, 404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return void response.setHeader('ETag', `"${this.etagOf(body)}"`).end();
    }
    if (method === 'GET') return void response.end(this.#listParts(upload, query));
    if (method === 'POST') {
      const parts = [
        ...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(.*?)&quot;<\/ETag>/g),
      ].map(([, number, etag]) => ({ part: upload.parts.get(Number(number)), etag }));
      if (parts.some(({ part, etag }) => !part || this.etagOf(part) !== etag))
        return refuse(response, 400, 'InvalidPart');
      this.objects.set(path, Buffer.concat(parts.map(({ part }) => part ?? Buffer.alloc(0))));
    }
    this.uploads.delete(id);
    response.end('<R></R>');
  }

  #listUploads(bucket: string, query: URLSearchParams): string {
    const prefix = `${bucket}/${query.get('prefix')}`;
    const all = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const from = all.findIndex(([id]) => id === query.get('upload-id-marker')) + 1;
    const page = all.slice(from, from + this.pageMax);
    const rows = page.map(
      ([id, { key, begunMs }]) =>
        `<Upload><Key>${escapeXml(key.slice(bucket.length + 1))}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begunMs).toISOString()}</Initiated></Upload>`,
    );
    const isMore = from + page.length < all.length;
    const next = `<NextKeyMarker>${escapeXml(page.at(-1)?.[1].key ?? '')}</NextKeyMarker><NextUploadIdMarker>${page.at(-1)?.[0]}</NextUploadIdMarker>`;
    return `<R><IsTruncated>${isMore}</IsTruncated>${isMore ? next : ''}${rows.join('')}</R>`;
  }

  #listParts({ parts }: FakeUpload, query: URLSearchParams): string {
    const left = [...parts].filter(([number]) => number > Number(query.get('part-number-marker')));
    const page = left.toSorted(([a], [b]) => a - b).slice(0, this.pageMax);
    const rows = page.map(
      ([number, part]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${this.etagOf(part)}&quot;</ETag><Size>${part.length}</Size></Part>`,
    );
    const isMore = page.length < left.length;
    const next = `<NextPartNumberMarker>${page.at(-1)?.[0]}</NextPartNumberMarker>`;
    return `<R><IsTruncated>${isMore}</IsTruncated>${isMore ? next : ''}${rows.join('')}</R>`;
  }
}

export function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
}

/** The upload step of a request. */
function stepOf(method: string, query: URLSearchParams): readonly string[] {
  if (query.has('uploads')) return [method === 'GET' ? 'uploads' : 'begin'];
  if (!query.has('uploadId')) return [];
  if (method === 'PUT') return [`part ${query.get('partNumber')}`];
  return [{ GET: 'parts', POST: 'complete', DELETE: 'abort' }[method] ?? method];
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;');
}
