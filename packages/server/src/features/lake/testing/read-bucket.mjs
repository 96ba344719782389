// Reads the bucket with the AWS SDK in a separate process: the SDK cannot be loaded from the sources of a test.
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';

const [, , endpoint, Key] = process.argv;
const Bucket = 'lake';
const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
const s3 = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials });
const nameOf = (error) => error.name;

const keys = [];
let page = {};
do {
  page = await s3.send(
    new ListObjectsV2Command({ Bucket, MaxKeys: 2, ContinuationToken: page.NextContinuationToken }),
  );
  keys.push(...page.Contents.map((object) => object.Key));
} while (page.IsTruncated);
const folders = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', Prefix: 'trades/' }));
const { ETag: etag } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
const part = await s3.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=0-3' }));
process.stdout.write(
  JSON.stringify({
    keys,
    folders: folders.CommonPrefixes.map((common) => common.Prefix),
    etag,
    head: await part.Body.transformToString(),
    put: await s3.send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' })).catch(nameOf),
    missing: await s3.send(new GetObjectCommand({ Bucket, Key: 'x' })).catch(nameOf),
  }),
);
