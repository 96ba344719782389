import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { publishSampleMarket } from '../packages/server/src/api/testing/sample-market.ts';
import { startTestApi, type TestApi } from '../packages/server/src/api/testing/test-api.ts';
import { hasPromtool } from './install-programs.ts';

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url));
const textOf = (file: string): string => readFileSync(deploy + file, 'utf8');

/** Exported by Prometheus itself. */
const builtIn = ['up'];
/** Words of an expression that name no metric. */
const words = new Set(
  'abs and or unless by on max sum avg min rate increase delta offset h absent time topk vector job instance source status route kind coin side'.split(
    ' ',
  ),
);

let api: TestApi;
let ofService: string;
let ofMarket: string;
let answer: ReadonlySet<string>;
beforeAll(async () => {
  api = await startTestApi();
  ofService = (await api.fetch('/metrics')).text;
  // Figures of the market need one.
  const fed = await startTestApi();
  publishSampleMarket(fed);
  ofMarket = (await fed.fetch('/metrics/market')).text;
  await fed.close();
  answer = new Set(
    [...`${ofService}\n${ofMarket}`.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string),
  );
});
afterAll(() => api.close());

function metricsIn(expression: string): readonly string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\[[^\]]*\]/g, '');
  const names = [...bare.matchAll(/[a-z_][a-z0-9_]*/gi)].map(([name]) => name);
  return names.filter((name) => !words.has(name) && !/^e\d+$/.test(name));
}

function expectKnown(expression: string): void {
  const names = metricsIn(expression);
  expect(names.length, expression).toBeGreaterThan(0);
  for (const name of names) expect([...builtIn, ...answer], expression).toContain(name);
}

/** Runs promtool on a text or a file; gives what it complains about. */
function promtool(command: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', command, { input, encoding: 'utf8' });
  return status === 0 ? stderr : `${stdout}${stderr}`;
}

describe.runIf(hasPromtool())('promtool', () => {
  it('finds nothing wrong with the metrics of the service and of the market', () => {
    const complaints = promtool(['check', 'metrics'], ofService).split('\n');
    // The names of Node's own metrics are those of the library, which dashboards know.
    expect(complaints.filter((line) => line !== '' && !line.startsWith('nodejs_'))).toEqual([]);
    expect(promtool(['check', 'metrics'], ofMarket)).toBe('');
    expect(promtool(['check', 'metrics'], '# TYPE a_total gauge\na_total 1\n')).toContain('a_total');
  });

  it.each(['prometheus.yml', 'prometheus-redis.yml'])('accepts %s and the rules that it names', (file) => {
    expect(promtool(['check', 'config', `${deploy}prometheus/${file}`])).toBe('');
  });

  it('raises the alerts that it should, and no others', () => {
    const rules = fileURLToPath(new URL('alert-rules.yml', import.meta.url));
    expect(promtool(['test', 'rules', rules])).toBe('');
  });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

describe('alert rules', () => {
  const groups = ['alerts', 'market-alerts'].flatMap(
    (name) => (parse(textOf(`prometheus/${name}.yml`)) as { groups: { rules: Rule[] }[] }).groups,
  );
  it.each(groups.flatMap(({ rules }) => rules))('$alert uses metrics that the service exports', (rule) => {
    expectKnown(rule.expr);
    expect(['page', 'warn']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
  });

  it('fail if they request anything else', () => {
    expect(() => expectKnown('rate(crosstape_nothing_total[5m]) > 0')).toThrow();
  });
});

/** The samples of /metrics that a selector of an expression takes, with matchers of the forms `=`, `!=` and `=~`. */
function selected(metrics: string, name: string, selector: string): readonly string[] {
  const matchers = [...selector.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(([, label, operator, wanted]) => ({
    label,
    isTaken: (value: string) =>
      operator === '=~'
        ? new RegExp(`^(?:${wanted})$`).test(value)
        : (value === wanted) === (operator === '='),
  }));
  return metrics.split('\n').filter((line) => {
    const labels = new Map([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]));
    return (
      line.startsWith(`${name}{`) && matchers.every(({ label, isTaken }) => isTaken(labels.get(label) ?? ''))
    );
  });
}

describe('alerts on a service that never reached its sources', () => {
  const { groups } = parse(textOf('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
  /** What an alert finds in a status of 1, which is all there is of a source that has said nothing. */
  async function foundBy(alert: string): Promise<readonly string[]> {
    const expr = groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert)?.expr ?? '';
    const [, selector] = /crosstape_source_status\{([^}]*)\}\)? == 1/.exec(expr) ?? [];
    expect(selector).toBeDefined();
    expect(expr).not.toContain('messages_total');
    return selected((await api.fetch('/metrics')).text, 'crosstape_source_status', selector ?? '');
  }

  it.each(['No answer yet.', 'It waits for other tables: instruments.'])(
    'say that the tape is silent: %s',
    async (error) => {
      api.health('hyperliquid', { source: 'hyperliquid:trades', gives: ['trades'], status: 'down', error });
      expect(await foundBy('CrosstapeTapeSilent')).toEqual([
        expect.stringMatching(/^crosstape_source_status\{source="hyperliquid:trades",status="\w+"\} 1$/),
      ]);
    },
  );

  it('distinguish failing sources from idle ones', async () => {
    api.health(
      'hyperliquid',
      { source: 'hyperliquid:contexts', gives: ['openInterest'], status: 'down', error: 'It hangs up.' },
      { source: 'hyperliquid:books', gives: ['books'], status: 'down', error: 'No answer yet.' },
    );
    expect(await foundBy('CrosstapeSourceFailing')).toEqual([
      'crosstape_source_status{source="hyperliquid:contexts",status="down"} 1',
    ]);
  });
});

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

describe('the Grafana dashboard', () => {
  const { panels } = JSON.parse(textOf('grafana/dashboards/crosstape.json')) as { panels: Panel[] };
  it.each(panels)('shows in "$title" metrics that /metrics exports', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) expectKnown(expr);
  });
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        image?: string;
        profiles?: string[];
        read_only?: boolean;
        cap_drop?: string[];
        environment?: object;
      }
    >
  >;
}

describe('the compose file', () => {
  const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as Compose;

  it('starts the service alone by default', () => {
    const always = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);
    expect(always.map(([name]) => name)).toEqual(['crosstape']);
    const profiles = new Set(Object.values(services).flatMap((service) => service.profiles ?? []));
    expect([...profiles].toSorted()).toEqual(['monitoring', 'redis']);
  });

  it.each([
    ['prometheus.yml', undefined],
    ['prometheus-redis.yml', ['redis']],
  ])('has every process watched that runs beside %s', (file, profiles) => {
    const { scrape_configs: jobs } = parse(textOf(`prometheus/${file}`)) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    };
    const own = Object.entries(services).filter(
      ([, service]) => service.image === 'crosstape' && String(service.profiles) === String(profiles),
    );
    expect(jobs.filter(({ job_name: name }) => name === 'crosstape')).toMatchObject([
      { job_name: 'crosstape', static_configs: [{ targets: own.map(([name]) => `${name}:8080`) }] },
    ]);
  });

  it.each(['crosstape', 'ingest', 'standby', 'gateway', 'build'])(
    'gives %s a root that is only read, and no rights',
    (name) => {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    },
  );
});

it('is one image for the compose file of several machines too', () => {
  const text = textOf('scale/docker-compose.yml');
  expect(text).toContain('dockerfile: deploy/Dockerfile');
  parse(text, { merge: true });
});

it('has a load balancer that sends no request twice which makes something', () => {
  const retried = /proxy_next_upstream (.*);/.exec(textOf('scale/nginx.conf'))?.[1];
  expect(retried?.split(' ')).toEqual(['error', 'timeout']);
});

describe('the image', () => {
  const lines = textOf('Dockerfile').split('\n');
  it('is built in a separate stage, runs without privileges, and has a health check', () => {
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    expect(lines).toContain('USER node');
    expect(lines.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
  });

  it('takes along everything that is read at the start', () => {
    for (const path of ['/app/node_modules', '/app/packages', '/app/docs']) {
      expect(
        lines.some((line) => line.startsWith(`COPY --from=build ${path} `)),
        path,
      ).toBe(true);
    }
  });
});

describe('settings given to a deployment', () => {
  it.each(['docker-compose.yml', 'systemd/crosstape.service', 'Dockerfile'])(
    'of %s are variables that exist',
    async (file) => {
      const { settingsFor } = await import('../packages/server/src/settings/settings.ts');
      const known = [...settingsFor([]).map(({ variable }) => variable), 'NODE_ENV', 'MALLOC_ARENA_MAX'];
      const given = [...textOf(file).matchAll(/\b(QUOTA|[A-Z]+_[A-Z_]+|HOST|PORT|ROLE)(?:=|: )/g)].map(
        ([, name]) => name,
      );
      for (const name of given.filter((one) => !/^(GF_|REDISCLI_)/.test(one ?? '')))
        expect(known).toContain(name);
    },
  );
});
