import type { BarAtoms } from './bar-atoms.ts';
import type { BarSpec } from './bar-kind.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { isRecord } from './is-record.ts';
import { kindOf, validateSpec } from './validate-spec.ts';

/** A position on a coin's tape: the last time, and the number of trades of that millisecond. */
export interface Cursor {
  readonly ts: number;
  readonly count: number;
}

/** The complete state of a builder. */
export interface BuilderState {
  readonly spec: BarSpec;
  readonly trades: number;
  readonly firstTs: number | null;
  readonly cursor: Cursor | null;
  /** Closed so far. */
  readonly bars: number;
  readonly previousCloseTs: number | null;
  readonly memory: readonly number[];
  readonly open: BarAtoms | null;
}

/** Bytes that are not the state of a builder. */
export class BadState extends Error {
  override readonly name = 'BadState';

  constructor(reason: string) {
    super(`This is not a builder state: ${reason}.`);
  }
}

/** The first byte of a state. */
const STATE_KIND = 0x53;
const VERSION = 1;
const SPEC_BYTES_MAX = 1024;

/** docs/formats.md describes the layout. */
export function encodeState(state: BuilderState): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(STATE_KIND);
  writer.byte(VERSION);
  writer.json(state.spec);
  writer.varint(state.trades);
  if (state.cursor && state.firstTs !== null) {
    writer.varint(state.firstTs);
    writer.varint(state.cursor.ts - state.firstTs);
    writer.varint(state.cursor.count);
    writer.varint(state.bars);
    if (state.previousCloseTs !== null) writer.varint(state.previousCloseTs);
    for (const value of state.memory) writer.signedBig(BigInt(value));
    writer.varint(state.open?.trades ?? 0);
    if (state.open) writeOpen(writer, state.open);
  }
  return writer.finish();
}

/** Reads a state. Throws `BadState` if it is malformed or inconsistent. */
export function decodeState(bytes: Uint8Array): BuilderState {
  const reader = new ByteReader(bytes, (reason) => new BadState(reason));
  if (reader.byte() !== STATE_KIND) throw new BadState('it does not begin like one');
  const version = reader.byte();
  if (version !== VERSION) throw new BadState(`version ${version} is not known`);
  const spec = readSpec(reader.json(SPEC_BYTES_MAX));
  const kindMemory = kindOf(spec).memory ?? [];
  const trades = reader.varint();
  if (trades === 0) {
    reader.end();
    const memory = kindMemory.map(() => 0);
    return { spec, trades, firstTs: null, cursor: null, bars: 0, previousCloseTs: null, memory, open: null };
  }
  const firstTs = reader.varint();
  const cursor = { ts: firstTs + reader.varint(), count: reader.varint() };
  const bars = reader.varint();
  const previousCloseTs = bars > 0 ? reader.varint() : null;
  const memory = kindMemory.map(({ min, max }) => {
    const value = Number(reader.signedBig());
    if (!(value >= min && value <= max)) throw new BadState('the memory of its rule is out of range');
    return value;
  });
  const openTrades = reader.varint();
  const open = openTrades > 0 ? readOpen(reader, openTrades) : null;
  reader.end();
  const isPlausible =
    Number.isSafeInteger(cursor.ts) &&
    cursor.count >= 1 &&
    cursor.count <= trades &&
    bars + openTrades <= trades &&
    bars + openTrades > 0 &&
    (!open || (open.openTs >= firstTs && open.closeTs <= cursor.ts));
  if (!isPlausible) throw new BadState('its counts contradict each other');
  return { spec, trades, firstTs, cursor, bars, previousCloseTs, memory, open };
}

function readSpec(value: unknown): BarSpec {
  if (!isRecord(value)) throw new BadState('its spec is not an object');
  const check = validateSpec(value['kind'], value['params'], value['tick']);
  if ('error' in check) throw new BadState(`invalid spec: ${check.error}`);
  if (JSON.stringify(check.spec) !== JSON.stringify(value)) throw new BadState('its spec is not complete');
  return check.spec;
}

function writeOpen(writer: ByteWriter, open: BarAtoms): void {
  writer.varint(open.openTs);
  writer.varint(open.closeTs - open.openTs);
  writer.signedBig(open.open);
  writer.signedBig(open.high);
  writer.signedBig(open.low);
  writer.signedBig(open.close);
  writer.signedBig(open.volume);
  writer.signedBig(open.delta);
  writer.signedBig(open.minDelta);
  writer.signedBig(open.maxDelta);
  writer.signedBig(open.notional);
  writer.signedBig(open.buyNotional);
}

function readOpen(reader: ByteReader, trades: number): BarAtoms {
  const openTs = reader.varint();
  const open: BarAtoms = {
    trades,
    openTs,
    closeTs: openTs + reader.varint(),
    open: reader.signedBig(),
    high: reader.signedBig(),
    low: reader.signedBig(),
    close: reader.signedBig(),
    volume: reader.signedBig(),
    delta: reader.signedBig(),
    minDelta: reader.signedBig(),
    maxDelta: reader.signedBig(),
    notional: reader.signedBig(),
    buyNotional: reader.signedBig(),
  };
  const isPlausible =
    open.low >= 0n &&
    open.low <= open.open &&
    open.low <= open.close &&
    open.high >= open.open &&
    open.high >= open.close &&
    open.minDelta <= 0n &&
    open.minDelta <= open.delta &&
    open.maxDelta >= 0n &&
    open.maxDelta >= open.delta &&
    open.maxDelta <= open.volume &&
    -open.minDelta <= open.volume &&
    open.buyNotional >= 0n &&
    open.buyNotional <= open.notional;
  if (!isPlausible) throw new BadState('the sums of its open bar contradict each other');
  return open;
}
