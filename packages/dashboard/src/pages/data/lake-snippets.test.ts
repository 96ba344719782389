import { expect, it } from 'vitest';
import { bytesText, lakeSnippets } from './lake-snippets.ts';

it('names the address of the service as each program wants it', () => {
  const texts = Object.fromEntries(
    lakeSnippets('https://tape.example:8443', 'ETH', '2026-11-10').map(({ title, text }) => [title, text]),
  );
  expect(texts['DuckDB']).toContain("ENDPOINT 'tape.example:8443', URL_STYLE 'path', USE_SSL true");
  expect(texts['Polars']).toContain(
    '"aws_endpoint_url": "https://tape.example:8443", "aws_allow_http": "false"',
  );
  expect(texts['pandas']).toContain(
    'https://tape.example:8443/lake/trades/venue=hyperliquid/symbol=ETH/date=2026-11-10/part-0.parquet',
  );
  expect(texts['ClickHouse']).toContain(
    "s3('https://tape.example:8443/lake/trades/venue=hyperliquid/symbol=ETH/*/*.parquet', NOSIGN",
  );
});

it('prints sizes', () => {
  expect([0, 999, 1_500, 14_201_730].map(bytesText)).toEqual(['0 B', '999 B', '1.5 kB', '14.2 MB']);
});
