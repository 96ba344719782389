import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { RATE_MAX, SIMULATOR_SIZES } from '@crosstape/simulator/sizes';
import { systemClock } from '../platform/system-clock.ts';
import { choiceSetting, integerSetting, type Setting, textSetting } from '../settings/setting.ts';
import { readFlags, readValue, UsageError } from '../settings/read-settings.ts';
import type { Command } from './command.ts';

const flags = {
  port: integerSetting({
    name: 'port',
    flag: 'port',
    variable: '',
    fallback: 8090,
    min: 0,
    max: 65_535,
    help: 'port to listen on; 0 picks a free port',
  }),
  seed: integerSetting({
    name: 'seed',
    flag: 'seed',
    variable: '',
    fallback: 1,
    min: 0,
    max: 4_294_967_295,
    help: 'seed of the market',
  }),
  rate: integerSetting({
    name: 'rate',
    flag: 'rate',
    variable: '',
    fallback: 1,
    min: 1,
    max: RATE_MAX.everyday,
    help: `how many times the usual number of trades; at most ${RATE_MAX.real} with --size real`,
  }),
  size: choiceSetting({
    name: 'size',
    flag: 'size',
    variable: '',
    fallback: 'everyday',
    choices: SIMULATOR_SIZES,
    help: 'everyday, or real: as many contracts as the venues have, 3,000 trades a second in bursts of 10,000',
  }),
  scenario: textSetting({
    name: 'scenario',
    flag: 'scenario',
    variable: '',
    fallback: undefined,
    help: 'faults by the clock: a built-in name or a JSON file',
  }),
  fills: textSetting({
    name: 'fills',
    flag: 'fills',
    variable: '',
    fallback: undefined,
    help: 'folder for the fills of all accounts, one file per hour, as a Hyperliquid node writes them',
  }),
  fillsDays: integerSetting({
    name: 'fillsDays',
    flag: 'fills-days',
    variable: '',
    fallback: 1,
    min: 0,
    max: 30,
    help: 'how many past days to write there first, as LZ4 files like those of the public archive',
  }),
} satisfies Record<string, Setting>;

const examples = `Examples:
  crosstape sim
  crosstape sim --port 8090 --seed 42 --rate 20
  crosstape sim --scenario flaky
  crosstape sim --size real
  crosstape sim --fills ./fills --fills-days 2
  crosstape serve --upstream sim --sim-url http://127.0.0.1:8090`;

/** The venue simulator as a separate program, for several services, benchmarks and clients under test. */
export const sim: Command = {
  name: 'sim',
  summary: 'run only the venue simulator; use with serve --upstream sim --sim-url URL',
  help: () => {
    const lines = Object.values(flags).map(
      ({ flag, help, fallback }) => `  --${flag} (${fallback ?? 'unset'})  ${help}`,
    );
    return `${lines.join('\n')}\n\n${examples}`;
  },
  async run(args, { out, error, stopSignal }) {
    const names = Object.values(flags).map(({ flag }) => flag);
    const given = readFlags(args, names);
    const port = readValue(flags.port, given.port);
    const seed = readValue(flags.seed, given.seed);
    const size = readValue(flags.size, given.size);
    const rate = readValue(flags.rate, given.rate);
    if (rate > RATE_MAX[size])
      throw new UsageError(`--rate must be at most ${RATE_MAX[size]} with --size ${size}, not ${rate}`);
    // Loaded on demand: it imports all venues.
    const { FillFiles, readScenario, startSimulator } = await import('@crosstape/simulator');
    const name = readValue(flags.scenario, given.scenario);
    const scenario = name === undefined ? undefined : await readScenario(name).catch(refuse);
    const simulator = await startSimulator({
      port,
      seed,
      rate,
      size,
      clock: systemClock,
      ...(scenario ? { scenario } : {}),
    });
    out(`crosstape simulator listening on ${simulator.url} (seed: ${seed}, size: ${size})`);
    const stopped = stopSignal();
    const folder = readValue(flags.fills, given.fills);
    const files = folder === undefined ? undefined : new FillFiles(simulator.market, folder);
    const following = files?.follow(systemClock, ({ message }) => error(`fills are not written: ${message}`));
    if (files) {
      const hourMs = Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS;
      const days = readValue(flags.fillsDays, given['fills-days']);
      const written = files.writeHours(Math.floor(hourMs / DAY_MS) * DAY_MS - days * DAY_MS, hourMs);
      const isWhole = await Promise.race([written.then(() => true), stopped.then(() => false)]);
      if (isWhole) out(`the fills of today and of ${days} days before are in ${folder}`);
    }
    await stopped;
    await following?.close();
    await simulator.close();
    return 0;
  },
};

function refuse(error: unknown): never {
  throw new UsageError((error as Error).message);
}
