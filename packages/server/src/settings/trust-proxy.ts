import { isIP } from 'node:net';
import type { TrustProxy } from '../platform/client-address.ts';

const HOPS_MAX = 16;

export function readTrustProxy(text: string): TrustProxy | undefined {
  if (text === 'false') return false;
  if (/^\d+$/.test(text)) return Number(text) >= 1 && Number(text) <= HOPS_MAX ? Number(text) : undefined;
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every(isRange) ? ranges : undefined;
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
