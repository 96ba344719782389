// Downloads the trades of a bucket with the AWS SDK and sums them with hyparquet, in a separate process: the SDK cannot
// be loaded from the sources of a test.
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { parquetReadObjects } from 'hyparquet';
import { brotliDecompressSync } from 'node:zlib';

const [, , endpoint] = process.argv;
const Bucket = 'lake';
const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials });
const compressors = { BROTLI: (bytes) => new Uint8Array(brotliDecompressSync(bytes)) };

const found = { rows: 0, size: 0, days: 0 };
for await (const page of paginateListObjectsV2({ client, pageSize: 7 }, { Bucket, Prefix: 'trades/' }))
  for (const { Key } of page.Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    const file = (await Body.transformToByteArray()).slice().buffer;
    const rows = await parquetReadObjects({ file, compressors, columns: ['size'] });
    found.rows += rows.length;
    found.size += rows.reduce((sum, { size }) => sum + size, 0);
    found.days += 1;
  }
process.stdout.write(JSON.stringify(found));
