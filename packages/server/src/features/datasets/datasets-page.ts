import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { DAY_MS } from '@crosstape/core';
import { corsHeaders } from '../../http/answer.ts';
import { matchesTag } from '../../http/negotiate.ts';
import { RequestContext } from '../../http/request-context.ts';
import type { Page } from '../../http/route.ts';
import { Streamed } from '../../http/streamed.ts';
import { Failure } from '../../platform/errors.ts';
import { CallerSlots } from '../../platform/caller-slots.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Context, Resources } from '../context.ts';
import { dateOf, SEAL_AFTER_MS, startOfDate } from '../lake/lake-key.ts';
import { derivativeLines, liquidationLines } from './other-lines.ts';
import { gzipStream, type TardisName } from './tardis-csv.ts';
import { prefixOf } from './tardis-names.ts';
import { findTrades, tradeMembers, type TradesFile } from './trades-file.ts';

const PATH =
  /^\/datasets\/(?<exchange>[a-z0-9-]{1,40})\/(?<type>[a-z_0-9]{1,40})\/(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d)\/(?<symbol>[^/]{1,80})\.csv\.gz$/;
const types = ['trades', 'liquidations', 'derivative_ticker'];
/** Days that are read on the event loop at a time: one of each caller; others wait. */
const scans = { slotsMax: 4, perCallerMax: 1, waitMs: 20_000, waitingPerCallerMax: 16 };
const NOTE = 'local_timestamp is the time on the tape, not a time of receipt';

/** A day of an exchange's symbol. */
export interface DatasetName extends TardisName {
  /** The first part of our market ids. */
  readonly prefix: string;
  readonly fromTs: number;
  readonly toTs: number;
}

/** `/datasets/…`: days as gzipped CSV in the form of Tardis' files. Unknown parameters are ignored. */
export function datasetsPage(resources: Resources): Page {
  const turns = new CallerSlots({ ...scans, clock: resources.clock });
  const linesOf = (context: Context, type: string, name: DatasetName): Promise<JoinedLines> =>
    turns.run(context.caller, 'datasets', async () =>
      join(
        await (type === 'liquidations' ? liquidationLines : derivativeLines)(context, name),
        context.caller,
      ),
    );
  return {
    path: '/datasets/*',
    isCounted: true,
    async handle({ request, admission: { caller, address } }) {
      const context: Context = new RequestContext(resources, { caller, address, accept: '' });
      const { type, name } = readPath(request.url ?? '', context.nowMs);
      if (type !== 'trades') {
        const { bytes, tag } = await linesOf(context, type, name);
        return fileReply(request.headers, tag, () => gzipStream(bytes), bytes);
      }
      const file: TradesFile = await findTrades(context, name);
      const open = (): Readable => Readable.from(tradeMembers(context, file), { objectMode: false });
      return fileReply(request.headers, tagOf(createHash('sha256').update(file.version)), open);
    },
  };
}

interface JoinedLines {
  readonly bytes: Uint8Array;
  readonly tag: string;
}

/** The text in one piece, and its tag: part by part, so that others have turns in between. */
async function join(parts: readonly Buffer[], caller: string): Promise<JoinedLines> {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  const hash = createHash('sha256');
  let at = 0;
  for (const part of parts) {
    hash.update(part);
    at += part.copy(bytes, at);
    await nextTurn(caller);
  }
  return { bytes, tag: tagOf(hash) };
}

function tagOf(hash: Hash): string {
  return `"${hash.digest('hex').slice(0, 32)}"`;
}

/** Clients store the file as it is, so gzip is not a `Content-Encoding`. */
function fileReply(
  headers: { readonly 'if-none-match'?: string | undefined },
  etag: string,
  open: () => Readable,
  memory?: Uint8Array,
): Streamed {
  // A day may change, such as by a refill after an outage over midnight.
  const shared = ['ETag', etag, 'Cache-Control', 'no-cache', 'X-Note', NOTE, ...corsHeaders];
  const given = headers['if-none-match'];
  if (given !== undefined && matchesTag(given, etag)) return new Streamed({ status: 304, headers: shared });
  const described = ['Content-Type', 'application/gzip', ...shared];
  return new Streamed({ status: 200, headers: described, open, ...(memory && { memory }) });
}

function readPath(url: string, nowMs: number): { readonly type: string; readonly name: DatasetName } {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
  const { exchange, type, year, month, day, symbol } = PATH.exec(decoded(path))?.groups ?? {};
  if (!exchange || !type || !symbol)
    throw new Failure(
      'not_found',
      'A dataset is /datasets/{exchange}/{type}/{YYYY}/{MM}/{DD}/{SYMBOL}.csv.gz.',
    );
  if (!types.includes(type))
    throw new Failure('bad_request', `There are datasets of ${types.join(', ')}, not of ${type}.`);
  const date = `${year}-${month}-${day}`;
  const fromTs = startOfDate(date);
  if (dateOf(fromTs) !== date) throw new Failure('bad_request', `${date} is not a date.`);
  const toTs = fromTs + DAY_MS;
  if (nowMs < toTs + SEAL_AFTER_MS)
    throw new Failure('not_found', `${date} is not over yet: a day is there 10 minutes after its end, UTC.`);
  return { type, name: { exchange, prefix: prefixOf(exchange), symbol: symbol.toUpperCase(), fromTs, toTs } };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
