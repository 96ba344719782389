import { hashText } from '@crosstape/core';
import type { Session } from './wire.ts';

/** Looks like a UUID, and stays the same while the socket is open. */
export function connectionId(session: Session): string {
  const known = session.memory.get('connectionId');
  if (typeof known === 'string') return known;
  const words = [0, 1, 2, 3].map((part) => hashText(`${session.nowMs()} ${part}`) >>> 0);
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  session.memory.set('connectionId', id);
  return id;
}
