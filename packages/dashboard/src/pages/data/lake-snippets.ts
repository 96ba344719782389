import type { Snippet } from '../../live/snippets.ts';

/** Code that reads the files of a coin from the service at an address. */
export function lakeSnippets(root: string, coin: string, date = '2026-11-09'): readonly Snippet[] {
  const { host, protocol } = new URL(root);
  const isSecure = protocol === 'https:';
  const folder = `trades/venue=hyperliquid/symbol=${coin}`;
  const file = `${root}/lake/${folder}/date=${date}/part-0.parquet`;
  return [
    {
      title: 'DuckDB',
      text: `CREATE SECRET (TYPE s3, ENDPOINT '${host}', URL_STYLE 'path', USE_SSL ${isSecure}, REGION 'us-east-1');\nSELECT date, count(*), sum(size) FROM read_parquet('s3://lake/${folder}/*/*.parquet', hive_partitioning = true) GROUP BY date;`,
    },
    {
      title: 'Polars',
      text: `import polars as pl\npl.scan_parquet("s3://lake/${folder}/*/*.parquet", hive_partitioning=True, storage_options={\n    "aws_endpoint_url": "${root}", "aws_allow_http": "${!isSecure}", "aws_skip_signature": "true", "aws_region": "us-east-1"})`,
    },
    { title: 'pandas', text: `import pandas as pd\npd.read_parquet("${file}")` },
    {
      title: 'ClickHouse',
      text: `SELECT count(), sum(size) FROM s3('${root}/lake/${folder}/*/*.parquet', NOSIGN, 'Parquet');`,
    },
    { title: 'curl', text: `curl -O '${file}'` },
  ];
}

/** `14.2 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
