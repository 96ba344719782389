import { UsageError } from '../../settings/read-settings.ts';
import { flagHelp } from '../help.ts';
import type { Command } from '../command.ts';

const help = `crosstape capture [--minutes N] [--out FILE] [--venues ID,ID…] [--max-mb N] [settings of the service]
  Runs every connector without a store and writes each request, answer and frame with its receive time to FILE
  (compressed lines of JSON). API keys and tokens are removed. Ctrl-C ends the file in order. Of other venues' markets
  it has the trades of those that the service would record (--record-markets), and of the first of them on each venue
  the order book, the newest candles and samples, and every minute past trades.
  --minutes (5)             how long, up to 1440; fractions are allowed
  --out (capture.ndjson.gz) must not exist yet
  --venues (all)            ids of venues and other sources; the primary venue is always part of it, sources that allow
                            few requests only if they are named
  --max-mb (2048)           ends the capture when the file has this size

crosstape capture check FILE [--json]
  Runs a capture through the parsers that the service uses and prints by source: payloads, accepted, refused and why,
  fields that no sample in the repository has, fields that every sample has and that are missing here. Exit code 1 when
  anything is refused.

Examples:
  crosstape capture --minutes 5 --out capture.ndjson.gz
  crosstape capture --minutes 1 --venues bybit,okx --out two.ndjson.gz
  crosstape capture check capture.ndjson.gz

`;

/** Records wire traffic of the venues, and checks recordings. */
export const capture: Command = {
  name: 'capture',
  summary: "record the venues' raw traffic to a file, or check such a file against the parsers",
  help: () => help + flagHelp(),
  async run(args, terminal) {
    const [word, ...rest] = args;
    if (word === 'check') return (await import('./check.ts')).check(rest, terminal);
    if (word !== undefined && !word.startsWith('-'))
      throw new UsageError(`unknown argument ${word}; capture takes only check; see crosstape help capture`);
    return (await import('./record.ts')).record(args, terminal);
  },
};
