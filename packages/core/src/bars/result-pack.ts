import { BARS_MAX, type Bar, type BarColumns, barColumnNames, createBarColumns } from './bar-columns.ts';
import type { BarSpec } from './bar-kind.ts';
import type { Cursor } from './builder-state.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { readColumns, writeColumns } from './column-codec.ts';
import { isRecord } from './is-record.ts';
import type { TapeGap } from './mark-complete.ts';
import { kindOf, validateSpec } from './validate-spec.ts';

/** A build's own metadata. */
export interface BuildStats {
  readonly trades: number;
  /** Closed bars. */
  readonly bars: number;
  readonly firstTs: number | null;
  readonly lastTs: number | null;
  readonly gaps: readonly (TapeGap & { readonly reason: string })[];
  readonly degraded: boolean;
  readonly tick: number;
  readonly buildMs: number;
  /** Id of the market of these trades; absent for the primary venue's. For several together `perp:BTC`. */
  readonly market?: string;
  /** For several markets together. */
  readonly merged?: MergedStats;
}

/** How bars over several markets were made. */
export interface MergedStats {
  /** Id of the market whose prices are shown. */
  readonly reference: string;
  /** Its last price, which trades of the others get until its next one. */
  readonly price: number;
  /** Every market and the position on its tape to continue from; null if it is no longer recorded. */
  readonly members: readonly {
    readonly market: string;
    readonly trades: number;
    readonly cursor: Cursor | null;
  }[];
}

/** Sizes of several markets together are rounded to this many decimals, so that large ones stay exact beside small ones. */
export const MERGED_SIZE_DECIMALS = 8;

/** A finished build: bars, the bar in progress, and the state to continue from. */
export interface ResultPack {
  readonly coin: string;
  readonly spec: BarSpec;
  readonly bars: BarColumns;
  readonly open: Bar | null;
  readonly state: Uint8Array;
  readonly stats: BuildStats;
}

/** Bytes that are not a result pack. */
export class BadPack extends Error {
  override readonly name = 'BadPack';

  constructor(reason: string) {
    super(`This is not a result pack: ${reason}.`);
  }
}

/** The first byte of a pack. */
const PACK_KIND = 0x50;
const VERSION = 1;
/** Enough for tens of thousands of gaps. */
const HEAD_BYTES_MAX = 4 * 2 ** 20;

/** Initial size, to avoid copies. */
const HEAD_BYTES_USUAL = 4096;
const BAR_BYTES_USUAL = 40;

const refuse = (reason: string): Error => new BadPack(reason);

/** docs/formats.md describes the layout. */
export function encodePack({ coin, spec, bars, open, state, stats }: ResultPack): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES_USUAL + bars.length * BAR_BYTES_USUAL);
  writer.byte(PACK_KIND);
  writer.byte(VERSION);
  const { firstIndex, previousCloseTs, length } = bars;
  writer.json({ coin, ...spec, firstIndex, previousCloseTs, open, stats });
  writer.varint(state.length);
  writer.bytes(state);
  writer.varint(length);
  writeColumns(writer, bars);
  return writer.finish();
}

/** Throws `BadPack` for bytes that are truncated, damaged, or of an unknown version. */
export function decodePack(bytes: Uint8Array): ResultPack {
  const steps = packSteps(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps: awaits `nextTurn` every few milliseconds. */
export async function decodePackInTurns(
  bytes: Uint8Array,
  nextTurn: () => Promise<void>,
): Promise<ResultPack> {
  const steps = packSteps(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

function* packSteps(bytes: Uint8Array): Generator<void, ResultPack> {
  const reader = new ByteReader(bytes, refuse);
  const { head, state, length, extraNames } = readStart(reader);
  const { firstIndex, previousCloseTs } = head;
  const bars = createBarColumns({ capacity: length, firstIndex, previousCloseTs, extraNames });
  bars.length = length;
  yield* readColumns(reader, bars, refuse);
  reader.end();
  return { coin: head.coin, spec: head.spec, bars, open: head.open, state, stats: head.stats };
}

/** The number of bars in a pack, without reading them. Throws `BadPack` as well. */
export function barsInPack(bytes: Uint8Array): number {
  return readStart(new ByteReader(bytes, refuse)).length;
}

/** The part before the columns. */
function readStart(reader: ByteReader): {
  readonly head: Head;
  readonly state: Uint8Array;
  readonly length: number;
  readonly extraNames: readonly string[];
} {
  if (reader.byte() !== PACK_KIND) throw refuse('it does not begin like one');
  const version = reader.byte();
  if (version !== VERSION) throw refuse(`version ${version} is not known`);
  const head = readHead(reader.json(HEAD_BYTES_MAX));
  const state = reader.bytes(reader.varint()).slice();
  const length = reader.varint();
  const extraNames = kindOf(head.spec).extras ?? [];
  // Every number takes at least one byte, so that a few bytes cannot allocate much memory.
  const columns = barColumnNames.length + extraNames.length;
  if (length > BARS_MAX || length * columns > reader.left) throw refuse(`it cannot hold ${length} bars`);
  return { head, state, length, extraNames };
}

interface Head {
  readonly coin: string;
  readonly spec: BarSpec;
  readonly firstIndex: number;
  readonly previousCloseTs: number | null;
  readonly open: Bar | null;
  readonly stats: BuildStats;
}

function readHead(value: unknown): Head {
  if (!isRecord(value)) throw refuse('its head is not an object');
  const { coin, kind, params, tick, firstIndex, previousCloseTs, open, stats } = value;
  if (typeof coin !== 'string') throw refuse('it names no coin');
  const check = validateSpec(kind, params, tick);
  if ('error' in check) throw refuse(`invalid spec: ${check.error}`);
  if (!isCount(firstIndex)) throw refuse('its first index is not a count');
  if (previousCloseTs !== null && !isCount(previousCloseTs))
    throw refuse('its previous closing time is not a time');
  if (open !== null && !isBar(open)) throw refuse('its open bar is not a bar');
  if (!isStats(stats)) throw refuse('its stats are not those of a build');
  return { coin, spec: check.spec, firstIndex, previousCloseTs, open, stats };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isBar(value: unknown): value is Bar {
  if (!isRecord(value) || typeof value['complete'] !== 'boolean') return false;
  return ['index', ...barColumnNames].every((name) => name === 'complete' || typeof value[name] === 'number');
}

function isStats(value: unknown): value is BuildStats {
  if (!isRecord(value) || !Array.isArray(value['gaps']) || typeof value['degraded'] !== 'boolean')
    return false;
  const isGap = (gap: unknown): boolean =>
    isRecord(gap) && isCount(gap['from']) && isCount(gap['to']) && typeof gap['reason'] === 'string';
  return (
    isCount(value['trades']) &&
    isCount(value['bars']) &&
    ['firstTs', 'lastTs'].every((name) => value[name] === null || isCount(value[name])) &&
    ['tick', 'buildMs'].every((name) => typeof value[name] === 'number') &&
    value['gaps'].every(isGap) &&
    (value['merged'] === undefined || isMerged(value['merged']))
  );
}

function isCursor(value: unknown): value is Cursor {
  return isRecord(value) && isCount(value['ts']) && isCount(value['count']);
}

function isMerged(value: unknown): value is MergedStats {
  if (!isRecord(value) || typeof value['reference'] !== 'string' || typeof value['price'] !== 'number')
    return false;
  const isMember = (member: unknown): boolean =>
    isRecord(member) &&
    typeof member['market'] === 'string' &&
    isCount(member['trades']) &&
    (member['cursor'] === null || isCursor(member['cursor']));
  return Array.isArray(value['members']) && value['members'].every(isMember);
}
