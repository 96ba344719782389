import type { Clock } from '@crosstape/core';
import { plainText } from './plain-text.ts';

/** Levels of pino. */
const INFO = 30;
const WARN = 40;
const ERROR = 50;
/** More lines than this within the window are counted and summed up in one line. */
const LINES_MAX = 12;
const WINDOW_MS = 20_000;
const FIELDS_MAX = 4;
const FIELD_CHARS_MAX = 120;
const CLEAR_LINE = '\r\u001B[2K';

/** Long-running work: its progress messages become one line that is rewritten, followed by its final message. */
const LONG_WORK = [
  {
    progress: 'creating the first-run history',
    line: 'Creating history',
    done: 'the first-run history is complete',
    doneLine: 'History created.',
  },
  {
    progress: 'requesting candles from before the record',
    line: 'Requesting older candles',
    done: 'candles from before the record are complete',
    doneLine: 'Older candles stored.',
  },
] as const;

type Fields = Readonly<Record<string, unknown>>;

export interface PlainLogOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly hasColours: boolean;
  /** Whether the log level is below `info`: then everything is printed. */
  readonly isVerbose: boolean;
}

/**
 * Log lines for a terminal: one line per degradation or recovery, one progress line. Other `info` lines are left out;
 * `--log-format json` has them all.
 */
export class PlainLog {
  readonly #options: PlainLogOptions;
  #windowMs = 0;
  #lines = 0;
  #leftOut = 0;
  #progress = '';

  constructor(options: PlainLogOptions) {
    this.#options = options;
  }

  /** Takes one line of JSON, as pino writes it. */
  write(line: string): void {
    const { level, time, msg, ...fields } = JSON.parse(line) as Fields & { level: number; msg: string };
    const work = LONG_WORK.find(({ progress, done }) => msg.startsWith(progress) || msg === done);
    if (work && msg === work.done) return this.#endProgress(work.doneLine);
    if (work) return this.#showProgress(work.line, Number(fields['progress'] ?? 0));
    if (msg === 'stopping') this.#clearProgress();
    if (!this.#options.isVerbose && level <= INFO && !isRecovery(msg, fields)) return;
    if (this.#isWithinBudget(level)) this.print(this.#format(level, msg, fields));
  }

  /** Prints its own line above the progress line. */
  print(text: string): void {
    this.#options.write(`${this.#progress === '' ? '' : CLEAR_LINE}${text}\n${this.#progress}`);
  }

  #showProgress(line: string, share: number): void {
    this.#progress = `${line}: ${Math.floor(share * 100)} %`;
    this.#options.write(CLEAR_LINE + this.#progress);
  }

  #clearProgress(): void {
    if (this.#progress !== '') this.#options.write(CLEAR_LINE);
    this.#progress = '';
  }

  #endProgress(line: string): void {
    this.#clearProgress();
    this.print(line);
  }

  /** Errors always have their line. */
  #isWithinBudget(level: number): boolean {
    const nowMs = this.#options.clock.now();
    if (nowMs - this.#windowMs > WINDOW_MS) {
      const leftOut = this.#leftOut;
      [this.#windowMs, this.#lines, this.#leftOut] = [nowMs, 0, 0];
      if (leftOut > 0) this.print(`  … and ${leftOut} more changes; the status page lists every source`);
    }
    this.#lines += 1;
    if (this.#lines <= LINES_MAX || level >= ERROR) return true;
    this.#leftOut += 1;
    return false;
  }

  /** Venues and callers wrote some of the fields: their control characters must not reach the terminal. */
  #format(level: number, msg: string, { err, ...fields }: Fields): string {
    const time = new Date(this.#options.clock.now()).toISOString().slice(11, 19);
    const mark = level >= ERROR ? 'error' : level >= WARN ? 'warn ' : 'info ';
    const colour = level >= ERROR ? 31 : level >= WARN ? 33 : 32;
    const coloured = this.#options.hasColours ? `\u001B[${colour}m${mark}\u001B[39m` : mark;
    const reason =
      (err as { message?: string } | undefined)?.message ?? (fields['error'] as string | undefined);
    const shown = Object.entries(fields)
      .filter(([name, value]) => name !== 'error' && (typeof value === 'string' || typeof value === 'number'))
      .slice(0, FIELDS_MAX)
      .map(([name, value]) => `${name}=${String(value)}`);
    const details = shown.length > 0 ? ` (${shown.join(', ')})` : '';
    const text = `${msg}${details}${reason === undefined ? '' : `: ${cut(reason)}`}`;
    return `${time} ${coloured} ${plainText(text)}`;
  }
}

function isRecovery(msg: string, fields: Fields): boolean {
  // A source that has just started was not down before.
  if (msg === 'source is ok') return fields['isFirst'] !== true;
  return msg.endsWith(' again') || msg === 'stopping' || msg.endsWith('publishes now');
}

function cut(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length <= FIELD_CHARS_MAX ? first : `${first.slice(0, FIELD_CHARS_MAX - 1)}…`;
}
