import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@crosstape/client';
import { buildBars } from '@crosstape/client/bars';
import { barAt } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { FlakyProxy } from './flaky-proxy.ts';
import { hasPython, python } from './install-programs.ts';
import { isLong } from './long.ts';
import { untilReady } from './market.ts';
import { runProgram } from './samples/run-program.ts';

const folder = fileURLToPath(new URL('../clients/python', import.meta.url));
const HALF_HOUR_MS = 1_800_000;
const TWO_HOURS_MS = 7_200_000;

function unittest(tests: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  return runProgram({
    command: python,
    args: ['-m', 'unittest', 'discover', '-s', `tests/${tests}`],
    cwd: folder,
    environment: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', ...environment },
  });
}

describe.runIf(hasPython())('the Python client', () => {
  it('reads every golden file, pages, retries, and refuses corrupt bytes', async () => {
    await expect(unittest('unit')).resolves.toBeDefined();
  });

  describe('with a service', () => {
    const data = mkdtempSync(join(tmpdir(), 'crosstape-python-'));
    let proxy: FlakyProxy | undefined;
    let url: string;

    beforeAll(async () => {
      await untilReady(inject('shared').url);
      proxy = await FlakyProxy.open(inject('shared').url);
      url = proxy.url;
    });
    afterAll(() => {
      proxy?.close();
      rmSync(data, { recursive: true, force: true });
    });

    // The index alone: packages/server/src/features/python/package-index.test.ts.
    if (isLong) {
      it('is installed by pip from the service itself', async () => {
        const environment = join(data, 'venv');
        const out = await runProgram({
          command: 'bash',
          args: [
            '-ec',
            `${python} -m venv --system-site-packages ${environment}
          ${environment}/bin/pip install --quiet --disable-pip-version-check --index-url ${url}/python/simple/ crosstape
          ${environment}/bin/python -c 'import crosstape as ct; print(ct.__version__, ct.__file__); print(len(ct.Client().trades("hyperliquid:BTC").to_pandas()))'`,
          ],
          cwd: data,
          environment: { CROSSTAPE_URL: url, HOME: data },
        });
        const [version, file, trades] = out.trim().split(/\s+/);
        const health = (await (await fetch(`${url}/healthz`)).json()) as { version: string };
        expect(version).toBe(health.version);
        expect(file).toContain(environment);
        expect(Number(trades)).toBeGreaterThan(10_000);
      });
    }

    it("returns the TypeScript client's figures to the digit, and follows the tape live", async () => {
      const expected = join(data, 'expected.json');
      writeFileSync(expected, JSON.stringify(await figures(url)));
      await unittest('service', { CROSSTAPE_URL: url, CROSSTAPE_EXPECTED: expected });
    });
  });
});

/** What the TypeScript client reads of the same service. */
async function figures(url: string): Promise<object> {
  const client = new Client({ url });
  const end = client.now() - TWO_HOURS_MS;
  const start = end - HALF_HOUR_MS;
  const trades: number[][] = [];
  for await (const { ticks } of client.ticks('BTC', { start, end })) {
    const scale = [10 ** ticks.priceDecimals, 10 ** ticks.sizeDecimals] as const;
    for (let i = 0; i < ticks.length; i += 1) {
      const [price, size] = [ticks.price[i] as number, ticks.size[i] as number];
      const flags = [ticks.isBuy[i] as number, ticks.sameOrder[i] as number];
      trades.push([ticks.ts[i] as number, price / scale[0], size / scale[1], ...flags]);
    }
  }
  const days = (client.now() - start) / 86_400_000;
  const spec = { coin: 'BTC', kind: 'range', params: { rangeTicks: 20 }, days } as const;
  const pack = await buildBars(client, spec);
  const bars = Array.from({ length: pack.bars.length }, (_, i) => barAt(pack.bars, i));
  return { start, end, trades, bars, tick: pack.stats.tick };
}
