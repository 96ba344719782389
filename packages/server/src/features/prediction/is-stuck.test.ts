import { HOUR_MS, type PredictionBook } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { isStuck } from './is-stuck.ts';

type Reply = Parameters<typeof isStuck>[0];

const NOW_MS = 1_790_000_000_000;

const book = (bid?: number, ask?: number, unchangedMs = 0): Reply => {
  const side = (price?: number): PredictionBook['bids'] => (price === undefined ? [] : [[price, 10]]);
  return { bids: side(bid), asks: side(ask), venueTs: NOW_MS - unchangedMs, receivedAtMs: NOW_MS };
};

describe('a book is stuck', () => {
  it.each([
    ['with the outermost prices, whatever the price', book(0.01, 0.99), { price: 0.5, spread: 0.01 }],
    ['far above the price', book(0.6, 0.62), { price: 0.4, spread: 0.02 }],
    ['far below it', book(0.2, 0.22), { price: 0.4, spread: 0.02 }],
    ['with one side on the wrong side of it', book(undefined, 0.1), { price: 0.9 }],
    ['when it is crossed', book(0.5, 0.5), { price: 0.5 }],
    ['when it is empty though the event has a spread', book(), { price: 0.5, spread: 0.02 }],
    [
      'when it is from hours ago and the price has left it',
      book(0.45, 0.46, HOUR_MS),
      { price: 0.56, spread: 0.01 },
    ],
    ['by less when it is from hours ago', book(0.45, 0.46, HOUR_MS), { price: 0.5, spread: 0.01 }],
  ] as const)('%s', (_, one, event) => {
    expect(isStuck(one, { asOfMs: NOW_MS, ...event })).toBe(true);
  });
});

describe('a book is not stuck', () => {
  it.each([
    ['around the price', book(0.39, 0.41), { price: 0.4, spread: 0.02 }],
    ['when it has moved a little', book(0.48, 0.49), { price: 0.4, spread: 0.01 }],
    ['when it is wide and the event says so', book(0.1, 0.9), { price: 0.5, spread: 0.8 }],
    [
      'when the event has no spread, it is not wide, and the price lies inside',
      book(0.4, 0.55),
      { price: 0.5 },
    ],
    ['when it was left by as little a moment ago', book(0.45, 0.46, 60_000), { price: 0.5, spread: 0.01 }],
    ['when nothing happened for hours', book(0.45, 0.46, HOUR_MS), { price: 0.475, spread: 0.01 }],
    ['with one side when the outcome is nearly certain', book(0.98), { price: 0.99, spread: 0.02 }],
    ['when it is empty and so is the event', book(), { price: 0.5, spread: 1 }],
  ] as const)('%s', (_, one, event) => {
    expect(isStuck(one, { asOfMs: NOW_MS, ...event })).toBe(false);
  });
});

it('is not judged by a price that is older than the last change of the book', () => {
  const event = { price: 0.4, spread: 0.02 };
  const moved = book(0.6, 0.62);
  expect(isStuck(moved, { ...event, asOfMs: NOW_MS - 30_000 })).toBe(true);
  expect(isStuck(moved, { ...event, asOfMs: NOW_MS - 219_000 })).toBe(false);
  // An unchanged one is.
  expect(isStuck(book(0.6, 0.62, HOUR_MS), { ...event, asOfMs: NOW_MS - 219_000 })).toBe(true);
});

describe('a book is not judged', () => {
  it.each([
    ['when it is wide and the event has no spread', book(0.01, 0.99), { price: 0.5 }],
    ['when it is empty and the event has no spread', book(), { price: 0.5 }],
  ] as const)('%s', (_, one, event) => {
    expect(isStuck(one, { asOfMs: NOW_MS, ...event })).toBeNull();
  });
});
