import { SIMULATOR_SIZES } from '@crosstape/simulator/sizes';
import { type Setting, choiceSetting, integerSetting, textSetting } from '../../settings/setting.ts';
import { readValue, UsageError } from '../../settings/read-settings.ts';
import { DataFolderError, simulatedDataset, datasetsOf } from '../../store/data-folder.ts';

const SEED_MAX = 4_294_967_295;
const ANY_SEED = -1;

const settings = {
  data: textSetting({
    name: 'data',
    flag: 'data',
    variable: 'DATA_DIR',
    fallback: './data',
    help: 'folder for everything recorded',
  }),
  upstream: choiceSetting({
    name: 'upstream',
    flag: 'upstream',
    variable: 'UPSTREAM',
    fallback: 'auto',
    choices: ['auto', 'live', 'sim'],
    help: 'which dataset: live, sim, or auto (the only one present)',
  }),
  seed: integerSetting({
    name: 'seed',
    flag: 'seed',
    variable: 'SIM_SEED',
    fallback: ANY_SEED,
    min: 0,
    max: SEED_MAX,
    help: 'seed of the simulated market, if there are several',
  }),
  size: choiceSetting({
    name: 'size',
    flag: 'sim-size',
    variable: 'SIM_SIZE',
    fallback: 'everyday',
    choices: SIMULATOR_SIZES,
    help: 'size of the simulated market, with --seed',
  }),
} satisfies Record<string, Setting>;

export const datasetFlags: readonly string[] = Object.values(settings).map(({ flag }) => flag);

export interface Dataset {
  readonly data: string;
  /** `live`, or a simulated market. */
  readonly tenant: string;
}

export interface DatasetOptions {
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the dataset need not exist. */
  readonly mayBeNew?: boolean;
}

/** The dataset of a data folder that flags and variables name. */
export async function findDataset({
  flags,
  environment,
  mayBeNew = false,
}: DatasetOptions): Promise<Dataset> {
  const given = <Value>(setting: Setting<Value>): Value =>
    readValue(setting, flags[setting.flag] ?? (environment[setting.variable] || undefined));
  const data = given(settings.data);
  const upstream = given(settings.upstream);
  const seed = given(settings.seed);
  const size = given(settings.size);
  const tenants = await datasetsOf(data);
  const fitting = tenants.filter((tenant) => {
    if (tenant === 'live') return upstream !== 'sim' && (upstream === 'live' || seed === ANY_SEED);
    return upstream !== 'live' && (seed === ANY_SEED || tenant === simulatedDataset({ seed, size }));
  });
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return { data, tenant: only };
  if (fitting.length > 1) {
    throw new UsageError(
      `${data} holds ${fitting.join(', ')}: choose one with --upstream live, or --upstream sim --seed N [--sim-size real]`,
    );
  }
  if (mayBeNew && upstream === 'live') return { data, tenant: 'live' };
  if (mayBeNew && upstream === 'sim')
    return { data, tenant: simulatedDataset({ seed: seed === ANY_SEED ? 1 : seed, size }) };
  if (mayBeNew) throw new UsageError(`${data} has no recorded data yet; choose --upstream live or sim`);
  throw new DataFolderError(`no such dataset in ${data}; found: ${tenants.join(', ') || 'none'}`);
}
