import { ManualClock } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';
import { PlainLog } from './plain-log.ts';

function open(level: 'info' | 'debug' = 'info') {
  const clock = new ManualClock(0);
  let text = '';
  const to = new PlainLog({
    clock,
    write: (part) => (text += part),
    hasColours: false,
    isVerbose: level === 'debug',
  });
  return { clock, log: createLog({ level, to }), text: () => text };
}

describe('on a terminal', () => {
  it('prints a change for the worse and its recovery, one line each', () => {
    const { log, text } = open();
    log.warn({ source: 'okx', status: 'limited', error: 'HTTP 429' }, 'source is not ok');
    log.info({ source: 'okx', was: 'limited' }, 'source is ok');
    log.info({ market: 'BTC' }, 'okx socket open');
    expect(text()).toBe(
      '00:00:00 warn  source is not ok (source=okx, status=limited): HTTP 429\n' +
        '00:00:00 info  source is ok (source=okx, was=limited)\n',
    );
  });

  it('does not call the first answer of a source a recovery', () => {
    const { log, text } = open();
    log.info({ source: 'okx', was: 'down', isFirst: true }, 'source is ok');
    expect(text()).toBe('');
  });

  it('prints no control character that a venue or a caller sent', () => {
    const { log, text } = open();
    const hostile = '\u001B]0;title\u0007\u009B31m\r\n';
    const error = new Error(`HTTP 500 ${hostile}`);
    log.warn({ [hostile]: 1, coin: hostile, error: hostile }, `source ${hostile} is not ok`);
    log.error({ err: error, url: hostile }, 'a request failed on our side');
    const lines = text().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
    expect(lines[1]).toContain('HTTP 500 \uFFFD]0;title');
  });

  it('rewrites one progress line, and keeps it below other lines', () => {
    const { log, text } = open();
    log.info({ progress: 0.5 }, 'creating the first-run history');
    log.error({ err: new Error('disk full\nat x') }, 'the tape cannot be written');
    log.info({ tookMs: 9 }, 'the first-run history is complete');
    expect(text().split('\r\u001B[2K')).toEqual([
      '',
      'Creating history: 50 %',
      '00:00:00 error the tape cannot be written: disk full\nCreating history: 50 %',
      'History created.\n',
    ]);
    log.info({ progress: 0.1, marketsLeft: 9 }, 'requesting candles from before the record');
    log.info({ requests: 9 }, 'candles from before the record are complete');
    expect(text()).toContain('Requesting older candles: 10 %\r\u001B[2KOlder candles stored.\n');
  });

  it('sums up what is more than a screen', () => {
    const { clock, log, text } = open();
    for (let i = 0; i < 30; i += 1) log.warn({ source: `s${i}` }, 'source is not ok');
    expect(text().split('\n')).toHaveLength(12 + 1);
    clock.advance(20_001);
    log.warn({ source: 'last' }, 'source is not ok');
    expect(text()).toContain('… and 18 more changes');
    expect(text()).toContain('source=last');
  });

  it('prints everything when it is asked to', () => {
    const { log, text } = open('debug');
    log.debug({ n: 1 }, 'detail');
    expect(text()).toBe('00:00:00 info  detail (n=1)\n');
  });
});
