import { notionalUsdOf, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tradesOf } from './newest-trades.ts';
import { OpenChunk } from './open-chunk.ts';
import { TickBuffer } from './tick-buffer.ts';
import { decodePiece, type Ticks } from './tick-table.ts';
import { runs } from '../../../../../test/runs.ts';

const owner = { coin: 'BTC', venue: 'hyperliquid' };
const START_MS = 1_790_000_000_000;

function trade(tid: number): Trade {
  // Decimals change from trade to trade, and some have no receive time.
  const price = 50_000 + (tid % 7) / 10 ** (tid % 4);
  const size = (1 + (tid % 13)) / 10 ** (tid % 5);
  const lag = tid % 3 === 0 ? {} : { recvLagMs: tid % 90 };
  return {
    ...owner,
    side: tid % 2 === 0 ? 'buy' : 'sell',
    price,
    size,
    notionalUsd: notionalUsdOf(price, size),
    ts: START_MS + tid,
    tid,
    sameOrder: false,
    ...lag,
  };
}

/** A tail as the store has it. */
class StoredTail {
  readonly pieces = new Map<number, Uint8Array>();
  #position = 0;
  encoded = 0;

  write(chunk: OpenChunk): void {
    const piece = chunk.nextPiece((this.#position += 1));
    for (const position of piece.replaces) this.pieces.delete(position);
    this.pieces.set(piece.position, piece.value);
    this.encoded += piece.trades;
    chunk.keep(piece);
    chunk.release();
  }

  /** As another process restores it. */
  restored(): OpenChunk {
    const chunk = new OpenChunk();
    for (const [position, value] of this.#inOrder()) chunk.restore({ position, value }, decodePiece(value));
    return chunk;
  }

  trades(): Trade[] {
    const all = new TickBuffer();
    for (const [, value] of this.#inOrder()) all.addTicks(decodePiece(value));
    return tradesOf(owner, all);
  }

  decoded(): ReadonlyMap<number, Ticks> {
    return new Map(this.#inOrder().map(([position, value]) => [position, decodePiece(value)]));
  }

  #inOrder(): [number, Uint8Array][] {
    return [...this.pieces].toSorted(([a], [b]) => a - b);
  }
}

it('stores every trade once and in order over any writes, merges and restarts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1, max: 5 }), { minLength: 100, maxLength: 400, size: 'max' }),
      (steps) => {
        const tail = new StoredTail();
        let chunk = new OpenChunk();
        const all: Trade[] = [];
        for (const count of steps) {
          if (count < 0) chunk = tail.restored();
          for (let i = 0; i < count; i += 1) {
            all.push(trade(all.length));
            chunk.add(all.at(-1) as Trade);
          }
          if (count > 0) tail.write(chunk);
        }
        expect(tail.trades()).toEqual(all);
        expect(tradesOf(owner, chunk.ticks(tail.decoded()))).toEqual(all);
        expect([chunk.length, chunk.lastTs]).toEqual([all.length, all.at(-1)?.ts]);
        expect(chunk.positions.toSorted((a, b) => a - b)).toEqual(
          [...tail.pieces.keys()].toSorted((a, b) => a - b),
        );
      },
    ),
    { numRuns: runs(15) },
  );
});

it('encodes a trade three times at most, and leaves few pieces, when each is written alone', () => {
  const tail = new StoredTail();
  const chunk = new OpenChunk();
  let most = 0;
  const trades = 4_000;
  for (let tid = 0; tid < trades; tid += 1) {
    chunk.add(trade(tid));
    tail.write(chunk);
    most = Math.max(most, tail.pieces.size);
  }
  expect(most).toBeLessThanOrEqual(46);
  expect(tail.encoded / trades).toBeLessThan(3);
  // As columns they would take 50 bytes each.
  const bytes = [...tail.pieces.values()].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  expect(bytes / trades).toBeLessThan(8);
});

it('keeps only the pieces that are merged again in memory', () => {
  const tail = new StoredTail();
  let chunk = new OpenChunk();
  const inMemory = (): number => chunk.length - chunk.released.reduce((sum, { trades }) => sum + trades, 0);
  for (let tid = 0; tid < 3_000; tid += 1) {
    chunk.add(trade(tid));
    tail.write(chunk);
    expect(inMemory()).toBeLessThan(256);
  }
  chunk = tail.restored();
  expect(inMemory()).toBeLessThan(256);
  expect(chunk.released.map(({ startTs }) => startTs - START_MS)).toEqual(
    Array.from({ length: 11 }, (_, i) => i * 256),
  );
});
