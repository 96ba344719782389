import type { Session } from './wire.ts';

/** Counts a message of the client, and returns whether it is within the limit of one second. */
export function isWithinSecond(session: Session, max: number): boolean {
  const second = Math.floor(session.nowMs() / 1000);
  const [since, before] = (session.memory.get('second') as readonly [number, number] | undefined) ?? [
    second,
    0,
  ];
  const count = since === second ? before + 1 : 1;
  session.memory.set('second', [second, count]);
  return count <= max;
}
