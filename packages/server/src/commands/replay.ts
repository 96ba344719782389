import { systemClock } from '../platform/system-clock.ts';
import { readLine, readValue, UsageError } from '../settings/read-settings.ts';
import { integerSetting, type Setting } from '../settings/setting.ts';
import type { Command } from './command.ts';

const port = integerSetting({
  name: 'port',
  flag: 'port',
  variable: '',
  fallback: 8091,
  min: 0,
  max: 65_535,
  help: 'port to listen on; 0 picks a free port',
});
const speed: Setting<number> = {
  name: 'speed',
  flag: 'speed',
  variable: '',
  fallback: 1,
  allowed: 'a number from 0.1 to 100',
  help: 'playback speed',
  read: (text) => (Number(text) >= 0.1 && Number(text) <= 100 ? Number(text) : undefined),
};

const help = `crosstape replay FILE [--speed N] [--port N] [--loop]
  Serves a capture as the venues, on loopback, each under the path that a simulator has. A service that is started with
  --upstream sim --sim-url URL runs on it by the time of the capture, N times as fast, and says replay: in every source.
  The replay begins when the service asks its venues for the first time; a service that connects a few seconds later
  than the capture did still gets every trade. After the end requests keep their last answers, which grow old, and
  sockets stay open and silent. A request that was never captured, such as for candles of another market, gets HTTP 404.
  --speed (1)    ${speed.help}, from 0.1 to 100
  --port (8091)  ${port.help}
  --loop         start again at the end; trades that the service knows already are not recorded again

Examples:
  crosstape replay capture.ndjson.gz
  crosstape replay capture.ndjson.gz --speed 10 --port 9200
  crosstape serve --upstream sim --sim-url http://127.0.0.1:8091`;

/** Serves a capture as the venues. */
export const replay: Command = {
  name: 'replay',
  summary: 'replay a capture in place of the venues; use with serve --upstream sim --sim-url URL',
  help: () => help,
  async run(args, { out, error, stopSignal }) {
    const { flags, switches, words } = readLine(args, {
      names: [port.flag, speed.flag],
      switches: ['loop'],
      wordsMax: 1,
    });
    const [path] = words;
    if (path === undefined) throw new UsageError('FILE is required: crosstape replay capture.ndjson.gz');
    const stopping = stopSignal();
    const { CaptureReader } = await import('../capture/read-capture.ts');
    const { indexCapture } = await import('../replay/capture-index.ts');
    const { startReplayServer } = await import('../replay/replay-server.ts');
    const capture = await indexCapture(await CaptureReader.open(path));
    const { header, fromMs, toMs } = capture;
    const server = await startReplayServer({
      capture,
      clock: systemClock,
      port: readValue(port, flags.port),
      speed: readValue(speed, flags.speed),
      isLooping: switches.has('loop'),
      id: `${fromMs}-${systemClock.now()}`,
    });
    if (!capture.isComplete) error('The file is truncated; serving the readable part.');
    const seconds = Math.round((toMs - fromMs) / 1_000);
    out(
      `crosstape replay listening on ${server.url} (${header.upstream}, ${header.startedAt}, ${seconds} s, ${path})`,
    );
    await stopping;
    const { unanswered } = server;
    await server.close();
    if (unanswered.size > 0)
      error(
        `The capture had no answer to ${unanswered.size} requests: ${[...unanswered.keys()].slice(0, 5).join(', ')}`,
      );
    return 0;
  },
};
