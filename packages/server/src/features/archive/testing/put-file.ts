import { S3Place } from '../s3-place.ts';

/**
 * Stores a file in the bucket of a test, in a separate process. Arguments: endpoint, bytes of a part, key, path, bytes,
 * SHA-256.
 */
const [endpoint = '', partBytes = '', key = '', path = '', bytes = '', sha256 = ''] = process.argv.slice(2);
const keys = { id: 'id', secret: 'secret' };
const options = { endpoint, bucket: 'days', prefix: 'live', keys, region: 'us-east-1' };
const place = new S3Place({ ...options, partBytes: Number(partBytes) });
await place.put(key, path, { bytes: Number(bytes), sha256 });
