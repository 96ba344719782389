// Sums the trades of a market over all days with Polars, lazily and through its own S3 client. Arguments: base URL, venue, symbol.
const [endpoint, venue, symbol] = process.argv.slice(2);
Object.assign(process.env, {
  AWS_ENDPOINT_URL: endpoint,
  AWS_ALLOW_HTTP: 'true',
  AWS_SKIP_SIGNATURE: 'true',
  AWS_REGION: 'us-east-1',
});
const { default: polars } = await import('nodejs-polars');

const trades = polars.scanParquet(`s3://lake/trades/venue=${venue}/symbol=${symbol}/date=*/part-0.parquet`, {
  hivePartitioning: true,
});
const { rows, size, days } = trades
  .select(polars.len().alias('rows'), polars.col('size').sum(), polars.col('date').nUnique().alias('days'))
  .collectSync()
  .toRecords()[0];
process.stdout.write(JSON.stringify({ rows, size, days }));
