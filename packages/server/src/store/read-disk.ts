import { statfs } from 'node:fs/promises';

export interface Disk {
  readonly sizeBytes: number;
  /** For unprivileged programs. */
  readonly freeBytes: number;
}

/** The disk of a folder. */
export async function readDisk(folder: string): Promise<Disk> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
}
