import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lakeSnippets } from './lake-snippets.ts';

it('names the address of the service as each program wants it', () => {
  const texts = Object.fromEntries(
    lakeSnippets('https://tape.example:8443', 'hyperliquid:ETH', '2026-11-10').map(({ title, text }) => [
      title,
      text,
    ]),
  );
  expect(texts['DuckDB']).toContain("ENDPOINT 'tape.example:8443', URL_STYLE 'path', USE_SSL true");
  expect(texts['Polars']).toContain(
    '"aws_endpoint_url": "https://tape.example:8443", "aws_allow_http": "false"',
  );
  expect(texts['pandas']).toContain('lake = "https://tape.example:8443/lake"');
  expect(texts['pandas']).toContain('startswith("trades/venue=hyperliquid/symbol=ETH/")');
  expect(texts['curl']).toBe(
    "curl -O 'https://tape.example:8443/lake/trades/venue=hyperliquid/symbol=ETH/date=2026-11-10/part-0.parquet'",
  );
  expect(texts['ClickHouse']).toContain(
    "s3('https://tape.example:8443/lake/trades/venue=hyperliquid/symbol=ETH/*/*.parquet', NOSIGN",
  );
});

it.each([
  ['coinbase-spot:BTC-USD', 'venue=coinbase-spot/symbol=BTC-USD'],
  ['hyperliquid:xyz:GOLD', 'venue=hyperliquid/symbol=xyz-GOLD'],
  ['kraken-spot:XBT/USD', 'venue=kraken-spot/symbol=XBT-USD'],
])('names the folder of %s', (market, folder) => {
  for (const { text } of lakeSnippets('http://127.0.0.1:8080', market))
    expect(text).toContain(`trades/${folder}/`);
});

it('has the code of the documentation, which tests run', () => {
  const guide = readFileSync(new URL('../../../../../docs/lake.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```(?:sql|python) .*\n([^]*?)\n```$/gm)].map(([, text]) => text);
  for (const { title, text } of lakeSnippets('http://127.0.0.1:8080', 'hyperliquid:BTC'))
    if (title !== 'curl') expect(blocks, title).toContain(text);
});
