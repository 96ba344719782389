import type { Market } from '../../market/market.ts';
import { decimal } from './print.ts';
import { BUILDER_DEX, universeOf } from './universe.ts';

const DEPLOYER = `0x${'88806a71'.repeat(5)}`;

/**
 * [null, {"name":"xyz","fullName":"XYZ","deployer":"0x…","oracleUpdater":null,"feeRecipient":null,
 *         "assetToStreamingOiCap":[["xyz:XYZ100","100000000.0"]],"assetToFundingMultiplier":[["xyz:TSLA","0.5"]],…}]
 * The venue's own list is the `null` in front.
 */
export function printPerpDexs(market: Market): unknown[] {
  const coins = universeOf(market, BUILDER_DEX);
  return [
    null,
    {
      name: BUILDER_DEX,
      fullName: BUILDER_DEX.toUpperCase(),
      deployer: DEPLOYER,
      oracleUpdater: null,
      feeRecipient: null,
      assetToStreamingOiCap: coins.map((coin) => [coin.name, decimal(coin.openInterestUsd * 2)]),
      subDeployers: [],
      deployerFeeScale: '1.0',
      lastDeployerFeeScaleChangeTime: '2026-01-01T00:00:00',
      assetToFundingMultiplier: coins.map((coin) => [coin.name, '1.0']),
      assetToFundingInterestRate: coins.map((coin) => [coin.name, '0.0001']),
    },
  ];
}
