import type { Snippet } from '../../live/snippets.ts';

/** Code that reads the files of a market from the service at an address; the same as in `docs/lake.md`, where tests run it. */
export function lakeSnippets(root: string, market: string, date = '2026-11-09'): readonly Snippet[] {
  const { host, protocol } = new URL(root);
  const isSecure = protocol === 'https:';
  const [venue = '', ...symbol] = market.split(':');
  const folder = `trades/venue=${venue}/symbol=${symbol.join('-').replaceAll('/', '-')}`;
  const file = `${root}/lake/${folder}/date=${date}/part-0.parquet`;
  return [
    {
      title: 'DuckDB',
      text: `CREATE SECRET (TYPE s3, ENDPOINT '${host}', URL_STYLE 'path', USE_SSL ${isSecure}, REGION 'us-east-1');
SELECT date, count(*), sum(size) FROM read_parquet('s3://lake/${folder}/*/*.parquet', hive_partitioning = true) GROUP BY date;`,
    },
    {
      title: 'Polars',
      text: `import polars as pl

trades = pl.scan_parquet("s3://lake/${folder}/*/*.parquet", hive_partitioning=True, storage_options={
    "aws_endpoint_url": "${root}", "aws_allow_http": "${!isSecure}", "aws_skip_signature": "true", "aws_region": "us-east-1"})
print(trades.group_by("date").agg(pl.len(), pl.col("size").sum()).sort("date").collect())`,
    },
    {
      title: 'pandas',
      text: `import json, urllib.request
import pandas as pd

lake = "${root}/lake"
files = json.load(urllib.request.urlopen(f"{lake}/manifest.json"))["files"]
keys = [file["key"] for file in files if file["key"].startswith("${folder}/")]
trades = pd.concat([pd.read_parquet(f"{lake}/{key}") for key in keys])
print(len(trades), trades["size"].sum())`,
    },
    {
      title: 'ClickHouse',
      text: `SELECT _path, count(), sum(size) FROM s3('${root}/lake/${folder}/*/*.parquet', NOSIGN, 'Parquet') GROUP BY _path ORDER BY _path;`,
    },
    { title: 'curl', text: `curl -O '${file}'` },
  ];
}
