import type { SourceHealth } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { NO_ANSWER_YET } from '../topics.ts';
import { feedState, type SourceGroups } from './feed-state.ts';

const STARTED_MS = 1_000;
const counters = { messages: 1, refused: 0, reconnects: 0 };

function health(source: string, changes: Partial<SourceHealth> = {}): SourceHealth {
  const [venue = '', name = ''] = source.split(':');
  return { source, venue, gives: [name], status: 'ok', sinceMs: 2_000, ...counters, ...changes };
}

function stateWith(groups: SourceGroups, ...healths: readonly SourceHealth[]) {
  const of = (publisher: string) => {
    const own = healths.filter(({ venue }) => venue === publisher);
    return own.length === 0 ? undefined : own;
  };
  return feedState(groups, of, STARTED_MS);
}

const trades = { publisher: 'a', gives: 'trades' };
const others = ['b', 'c', 'd'].map((publisher) => ({ publisher, gives: 'liquidations' }));
const down = { status: 'down', sinceMs: 9_000, failingSinceMs: 5_000, error: 'Gone.' } as const;

describe('a channel of one source', () => {
  it.each([
    ['ok', 'live'],
    ['stale', 'stale'],
    ['limited', 'stale'],
    ['changed', 'stale'],
    ['blocked', 'down'],
    ['down', 'down'],
  ] as const)('whose status is %s is %s', (status, state) => {
    expect(stateWith([[trades]], health('a:trades', { ...down, status })).state).toBe(state);
  });

  it('dates the failure from when the source stopped being ok, and names it', () => {
    expect(stateWith([[trades]], health('a:trades', down))).toEqual({
      state: 'down',
      sinceTs: 5_000,
      reason: 'a trades: Gone.',
    });
    expect(stateWith([[trades]], health('a:trades'))).toEqual({
      state: 'live',
      sinceTs: 2_000,
      reason: 'All sources deliver.',
    });
  });

  it('is down until something was received, unless the source is connected on demand and its publisher delivers', () => {
    const idle = health('a:trades', { status: 'down', error: NO_ANSWER_YET, sinceMs: 3_000 });
    const nothing = 'a trades: no data received yet.';
    expect(stateWith([[trades]])).toEqual({ state: 'down', sinceTs: STARTED_MS, reason: nothing });
    expect(stateWith([[trades]], idle)).toEqual({ state: 'down', sinceTs: 3_000, reason: nothing });
    const onDemand = [[{ ...trades, isOnDemand: true }]];
    const other = health('a:funding');
    expect(stateWith(onDemand, other).state).toBe('live');
    expect(stateWith(onDemand, other, idle).state).toBe('live');
    expect(stateWith(onDemand, other, health('a:trades', down)).state).toBe('down');
    expect(stateWith(onDemand).state).toBe('down');
    expect(stateWith(onDemand, idle, health('a:funding', down)).state).toBe('down');
  });

  it('is not concerned by what fails elsewhere at its publisher, nor by another table of its source', () => {
    const other = health('a:books', down);
    expect(stateWith([[trades]], health('a:trades'), other).state).toBe('live');
    const table = { publisher: 'a', gives: 'funding' };
    const changed = { status: 'changed', gives: ['funding', 'prices'], error: 'What?' } as const;
    expect(stateWith([[table]], health('a:ctx', { ...changed, concerns: ['prices'] })).state).toBe('live');
    expect(stateWith([[table]], health('a:ctx', { ...changed, concerns: ['funding'] })).state).toBe('stale');
  });
});

describe('a channel of several sources', () => {
  const up = others.map(({ publisher }) => health(`${publisher}:liquidations`));
  const gone = others.map(({ publisher }) => health(`${publisher}:liquidations`, down));

  it('that contribute independently is partially stale when one fails, and down when all do', () => {
    expect(stateWith([others], ...up).state).toBe('live');
    expect(stateWith([others], up[0]!, gone[1]!, up[2]!)).toEqual({
      state: 'stale',
      sinceTs: 5_000,
      reason: 'c liquidations: Gone.',
      partial: true,
    });
    expect(stateWith([others], ...gone)).toMatchObject({ state: 'down', sinceTs: 5_000 });
    expect(stateWith([others], ...gone)).not.toHaveProperty('partial');
  });

  it('that are all needed is as bad as the worst', () => {
    expect(stateWith([[trades], others], health('a:trades', down), ...up)).toEqual({
      state: 'down',
      sinceTs: 5_000,
      reason: 'a trades: Gone.',
    });
    const stale = health('a:trades', { ...down, status: 'stale', failingSinceMs: 4_000 });
    expect(stateWith([[trades], others], stale, up[0]!, gone[1]!, up[2]!)).toEqual({
      state: 'stale',
      sinceTs: 4_000,
      reason: 'a trades: Gone. c liquidations: Gone.',
    });
  });

  it('names the first three failing sources and counts the rest', () => {
    const { reason } = stateWith([[trades, ...others]], health('a:trades', down), ...gone);
    expect(reason).toBe('a trades: Gone. b liquidations: Gone. c liquidations: Gone. And 1 more.');
  });
});
