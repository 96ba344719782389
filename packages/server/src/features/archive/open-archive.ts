import { resolve } from 'node:path';
import { type ArchiveAddress, ArchiveError, type ArchivePlace } from './archive-place.ts';
import { FolderPlace } from './folder-place.ts';
import { S3Place } from './s3-place.ts';

/** The place of an address. Rejects a bucket without keys in the environment. */
export function openArchive(
  { archive, endpoint }: ArchiveAddress,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ArchivePlace {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(archive) ?? [];
  if (bucket === undefined) return new FolderPlace(resolve(archive));
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  if (!id || !secret)
    throw new ArchiveError(`${archive} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment`);
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1';
  return new S3Place({
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    prefix: prefix.replace(/\/+$/, ''),
    keys: { id, secret, ...(token && { token }) },
    region,
  });
}
