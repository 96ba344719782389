import { systemClock } from '../../platform/system-clock.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { Command, Terminal } from '../command.ts';
import { readRemote, remoteHelp } from './read-remote.ts';
import { TopBoard } from './top-board.ts';
import { type ScreenSize, topScreen } from './top-screen.ts';

const COINS = 'BTC,ETH,SOL,XRP,DOGE';
/** Each is a subscription; no more than an anonymous caller may have. */
const COINS_MAX = 20;
const MIN_USD = 100_000;
const DRAW_EVERY_MS = 250;
/** A rarely traded coin has no price before its next trade. */
const PRICED_MS_MAX = 5_000;
const PIPED: ScreenSize = { columns: 200, rows: 200, hasColours: false };

const help = `crosstape top [--coins ${COINS}] [--min-usd ${MIN_USD}]

A live view in the terminal: prices as they are traded, mark and basis to the index, funding and open interest of the
primary venue, and large orders as they happen. Ctrl-C ends it. When piped it prints one picture and ends.

${remoteHelp.split('\n').slice(0, 2).join('\n')}

Examples:
  crosstape top
  crosstape top --coins BTC,ETH --min-usd 1000000
  crosstape top --url https://tape.example.org | head`;

/** A live overview of the market. */
export const top: Command = {
  name: 'top',
  summary: 'prices, funding, open interest and large orders, live in the terminal',
  help: () => help,
  async run(args, terminal) {
    const { client, url, words, flags, isJson } = readRemote(args, terminal);
    const { coins: list = COINS, minUsd = String(MIN_USD), ...others } = flags;
    const [strange] = [
      ...words,
      ...Object.keys(others).map((name) => `--${name}`),
      ...(isJson ? ['--json'] : []),
    ];
    if (strange !== undefined) throw new UsageError(`top does not take ${strange}; see crosstape help top`);
    const coins = [...new Set(list.split(',').map((coin) => coin.trim()))];
    if (coins.includes('') || coins.length > COINS_MAX)
      throw new UsageError(`--coins takes 1 to ${COINS_MAX} tickers, separated by commas`);
    if (!(Number(minUsd) > 0)) throw new UsageError(`--min-usd must be a number above 0, not "${minUsd}"`);
    const board = new TopBoard(client, coins, Number(minUsd));
    const picture = (size: ScreenSize): readonly string[] => topScreen({ url, ...board.view() }, size);
    try {
      await board.start();
      if (terminal.stdout.isTTY) await draw(terminal, picture);
      else {
        await board.priced(PRICED_MS_MAX);
        terminal.out(picture(PIPED).join('\n'));
      }
    } finally {
      board.stop();
    }
    return 0;
  },
};

const OTHER_SCREEN = '\u001B[?1049h\u001B[?25l';
const OWN_SCREEN = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

/** Redraws on the alternate screen until the program is stopped. */
async function draw(terminal: Terminal, picture: (size: ScreenSize) => readonly string[]): Promise<void> {
  const { stdout, environment, stopSignal } = terminal;
  const hasColours = !environment.NO_COLOR;
  const show = (): void => {
    const lines = picture({ columns: stdout.columns, rows: stdout.rows, hasColours });
    stdout.write(`${HOME}${lines.map((line) => line + REST_OF_LINE).join('\n')}${REST_OF_SCREEN}`);
  };
  stdout.write(OTHER_SCREEN);
  const timer = systemClock.every(DRAW_EVERY_MS, show);
  try {
    show();
    await stopSignal();
  } finally {
    timer.cancel();
    stdout.write(OWN_SCREEN);
  }
}
