import { HOUR_MS } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { markets } from './markets.ts';

const body = {
  markets: {
    'BTC-USD': {
      ticker: 'BTC-USD',
      status: 'ACTIVE',
      oraclePrice: '89919.2',
      nextFundingRate: '0.0000025454',
      openInterest: '381.7348',
    },
  },
};

it('says that funding is paid at the next full hour, whenever it is asked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (nowMs) => {
      const { nextFundingMs = Number.NaN } = markets.parse(body, nowMs, {}).funding?.[0] ?? {};
      expect(nextFundingMs % HOUR_MS).toBe(0);
      expect(nextFundingMs - nowMs).toBeGreaterThan(0);
      expect(nextFundingMs - nowMs).toBeLessThanOrEqual(HOUR_MS);
    }),
  );
});
