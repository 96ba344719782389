/**
 * The fields that the published interface promises, copied from it by hand: an independent witness against the
 * schemas. `[]` is each entry of a list, `*` each value of a map.
 */
export const specFields: Readonly<Record<string, string>> = {
  OiSnap: 'coin venue oiUsd oiContracts fetchedAt',
  FundingSnap: 'coin venue rate periodHours fetchedAt',
  OiHistorySeries: 'coin venue points points[].t points[].v cadenceMs retention enabled fetchedAt',
  FundingHistorySeries: 'coin points points[].ts points[].byVenue cadenceMs retention enabled fetchedAt',
  PositioningSnap: 'coin venue view longFraction longShortRatio fetchedAt',
  WhaleTick: 'coin side notionalUsd price ts venue',
  TradeTick: 'coin side price size notionalUsd ts venue',
  FundingChange: 'coin rate periodHours prevRate delta ts venue',
  Heartbeat: 'ts',
  Bye: 'reason',
  LiquidationSnap: 'coin long24hUsd short24hUsd max24hUsd venues fetchedAt',
  PerpTicker: 'coin venue mark index mid volume24h change24hPct closes fetchedAt',
  OptionChainRow: 'instrument underlying strike expiryMs type oi volume24h markIv markPrice underlyingPrice',
  GexSummary:
    'underlying spot totalGex callWall callWall.strike callWall.gex putWall putWall.strike putWall.gex gammaFlip strikes strikes[].strike strikes[].callOi strikes[].putOi strikes[].gex fetchedAt',
  SkewSummary:
    'underlying smileByExpiry smileByExpiry.*[].strike smileByExpiry.*[].iv smileByExpiry.*[].type smileByExpiry.*[].moneyness termStructure termStructure[].expiryMs termStructure[].expiryLabel termStructure[].dteDays termStructure[].atmIv fetchedAt',
  EtfFlowsSnap:
    'asset tickers rows rows[].dateLabel rows[].dateMs rows[].values rows[].total latestTotalUsdm cumulativeUsdm fetchedAt',
  TreasurySnap:
    'asset totalHoldings totalValueUsd marketCapDominance companies companies[].name companies[].symbol companies[].country companies[].totalHoldings companies[].totalEntryValueUsd companies[].totalCurrentValueUsd companies[].percentageOfTotalSupply fetchedAt',
  ValuationSnap: 'asset mvrvZScore nupl puellMultiple reserveRisk realizedCap asOfDate fetchedAt',
  SpotTick: 'coin venue price bid ask volume24h change24hPct fetchedAt',
  VenueSpreadSnap:
    'coin globalMedianUsd rows rows[].venue rows[].priceUsd rows[].basisBps rows[].bid rows[].ask rows[].volume24h rows[].change24hPct rows[].stale rows[].fetchedAt strongestPremiumVenue strongestDiscountVenue fetchedAt',
  KimchiPremiumSnap:
    'coin region localVenue localPair localPriceKrw usdKrw localPriceUsd globalMedianUsd premiumPct premiumBps bidAskPressure interpretation fetchedAt',
  EtfFlowProxySnap:
    'asset daily daily.latestTotalUsdm daily.cumulativeUsdm daily.latestDateMs daily.source spotProxy spotProxy.proxyPremiumBps spotProxy.proxyVolumeShare spotProxy.proxyTapeDeltaUsd5m spotProxy.proxyNetTradeUsd5m spotProxy.confidence spotProxy.label fetchedAt',
  FlowSignal: 'id coin layer severity title message confidence ts',
  FlowSummarySnap:
    'coins rows rows[].coin rows[].coverage rows[].coverage.globalSpot rows[].coverage.kimchi rows[].coverage.etfProxy rows[].coverage.primaryMicro rows[].flowPressureScore rows[].headline signals signals[].id signals[].coin signals[].layer signals[].severity signals[].title signals[].message signals[].confidence signals[].ts fetchedAt',
  FlowHistorySeries:
    'coin metric interval points points[].t points[].v points[].partial points[].stale points[].source points[].sources points[].coverage points[].coverage.globalSpot retention enabled fetchedAt',
  MarketsResponse:
    'venues venues[].id venues[].name venues[].kind venues[].status venues[].capabilities venues[].capabilities.oi venues[].capabilities.funding venues[].capabilities.spot venues[].capabilities.liquidations venues[].capabilities.options venues[].capabilities.predictions venues[].dataSource markets[].exchange markets[].symbol markets[].coin markets[].kind markets[].label',
  PointsResponse:
    'type exchanges groupBy rows rows[].type rows[].coin rows[].exchange rows[].value rows[].unit rows[].byExchange rows[].fetchedAt',
  RotationBuild: 'jobId cacheKey cached degraded',
  RotationJob: 'status pct trades totalTrades bars',
  // Fields that the published interface does not show, as decided for this service.
  RawTrade: 'ts price size side tid',
  RecordedMarket:
    'market venue kind symbol coin quote usdRate unit unit.contractSize unit.scale tick recordingSince firstTs lastTs trades24h completeness24h counted',
  TradePage:
    'coin version chunks chunks[].startTs chunks[].endTs chunks[].trades chunks[].bytes chunks[].data',
  CoverageStretch: 'from to state',
  SourceInfo: 'id name takes trust attribution termsUrl termsNote status gaps24h feeds',
  TapeHole: 'from to state reason',
  Bar: 'index openTs closeTs open high low close volume buyVolume notionalUsd trades delta minDelta maxDelta direction complete',
  RotationStats: 'trades bars firstTs lastTs gaps gaps[].from gaps[].to gaps[].reason degraded tick buildMs',
  RotationResult: 'coin kind params tick bars open state stats',
  PackedResult: 'encoding pack',
  PredictionEvent:
    'id slug title question outcomes outcomes[].name outcomes[].tokenId outcomes[].price liquidityUsd volume24hUsd endMs hoursToClose score url',
  PredictionBook:
    'tokenId bids asks bestBid bestAsk spread mid depth depth.bidUsd depth.askUsd ts eventPrice stuck',
};

/** Fields of the envelope. */
export const envelopeFields = 'data meta meta.fetchedAt meta.source';

/** A copy of `value` without the field at `path`; throws if there is none. */
export function without(value: unknown, path: string): unknown {
  const copy = structuredClone(value);
  const steps = path
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((step) => step !== '');
  if (removeAt(copy, steps) === 0) throw new Error(`there is no ${path} to take away`);
  return copy;
}

function removeAt(value: unknown, [step = '', ...rest]: readonly string[]): number {
  if (typeof value !== 'object' || value === null) return 0;
  const record = value as Record<string, unknown>;
  if (step === '[]' || step === '*') {
    return Object.values(record).reduce<number>((removed, entry) => removed + removeAt(entry, rest), 0);
  }
  if (rest.length > 0) return removeAt(record[step], rest);
  if (!(step in record)) return 0;
  delete record[step];
  return 1;
}
