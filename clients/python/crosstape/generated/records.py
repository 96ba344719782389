# Generated from docs/openapi.json by `npm run generate`. Do not edit.
"""Records of the REST interface. Times are milliseconds since the Unix epoch."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class _OiSnapRequired(TypedDict):
    coin: str
    venue: str
    oiUsd: float
    oiContracts: float
    fetchedAt: int


class OiSnap(_OiSnapRequired, total=False):
    """Open interest of one coin on one venue: one-sided, summed over the linear USD, USDT and USDC perpetuals of the coin."""

    oiCoin: float
    symbol: str
    quote: str
    unconverted: bool
    stale: bool


class OiChange(TypedDict):
    """How the open interest of one coin on one venue has changed, by recorded samples."""

    coin: str
    venue: str
    t: int
    oiContracts: float
    change1hPct: Union[float, None]
    change4hPct: Union[float, None]
    change24hPct: Union[float, None]


class CvdWindows(TypedDict):
    """Taker-buy less taker-sell value of one coin on the primary venue, up to now."""

    coin: str
    venue: str
    cvd1hUsd: Union[float, None]
    cvd4hUsd: Union[float, None]
    cvd24hUsd: Union[float, None]
    complete: bool


class FundingSnapNative(TypedDict):
    """The rate before scaling."""

    rate: float
    periodHours: float


class _FundingSnapRequired(TypedDict):
    coin: str
    venue: str
    rate: float
    periodHours: float
    fetchedAt: int


class FundingSnap(_FundingSnapRequired, total=False):
    """Current funding rate of one coin on one venue, of the contract with the most open interest."""

    native: FundingSnapNative
    nextFundingTs: int
    symbol: str
    stale: bool


class _OiHistorySeriesPointsItemRequired(TypedDict):
    t: int
    v: float


class OiHistorySeriesPointsItem(_OiHistorySeriesPointsItemRequired, total=False):
    origin: Literal["recorded", "venue"]


class _OiHistorySeriesRequired(TypedDict):
    coin: str
    venue: str
    points: list[OiHistorySeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    fetchedAt: int


class OiHistorySeries(_OiHistorySeriesRequired, total=False):
    """Open interest of a coin over time: on the primary venue unless another is named. A missing sample is missing, never repeated."""

    recordingSince: int


class _FundingHistorySeriesPointsItemRequired(TypedDict):
    ts: int
    byVenue: dict[str, float]


class FundingHistorySeriesPointsItem(_FundingHistorySeriesPointsItemRequired, total=False):
    nativePeriodHours: dict[str, float]
    origin: dict[str, Literal["recorded", "venue"]]


class _FundingHistorySeriesRequired(TypedDict):
    coin: str
    points: list[FundingHistorySeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    fetchedAt: int


class FundingHistorySeries(_FundingHistorySeriesRequired, total=False):
    """Recorded funding rates of a coin by venue. A missing sample is missing, never repeated."""

    recordingSince: int
    periodHours: dict[str, float]


class _PositioningSnapRequired(TypedDict):
    coin: str
    venue: str
    view: Literal["global", "top"]
    longFraction: float
    longShortRatio: float
    fetchedAt: int


class PositioningSnap(_PositioningSnapRequired, total=False):
    """How the accounts of a venue are positioned in a coin."""

    basis: Literal["accounts", "positions"]


class PositioningHistorySeriesPointsItem(TypedDict):
    t: int
    longFraction: float
    longShortRatio: Union[float, None]
    origin: Literal["recorded", "venue"]


class PositioningHistorySeries(TypedDict):
    """A venue's long/short ratio of a coin over time: one view of the contract that is recorded, or has the most open interest. A missing hour is missing, never repeated."""

    coin: str
    venue: str
    view: Literal["global", "top"]
    basis: Literal["accounts", "positions"]
    points: list[PositioningHistorySeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    fetchedAt: int


class BookHistorySeriesPointsItem(TypedDict):
    ts: int
    mid: float
    step: float
    bids: list[list[float]]
    asks: list[list[float]]


class _BookHistorySeriesRequired(TypedDict):
    market: str
    coin: str
    venue: str
    points: list[BookHistorySeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    method: str
    fetchedAt: int


class BookHistorySeries(_BookHistorySeriesRequired, total=False):
    """Recorded order books of a market, one a minute. A minute that could not be taken is missing, never repeated."""

    recordingSince: int


class BookDepthSeriesPointsItemWithinItem(TypedDict):
    percent: float
    bidsUsd: Union[float, None]
    asksUsd: Union[float, None]
    imbalance: Union[float, None]


class BookDepthSeriesPointsItem(TypedDict):
    ts: int
    mid: float
    within: list[BookDepthSeriesPointsItemWithinItem]


class _BookDepthSeriesRequired(TypedDict):
    market: str
    coin: str
    venue: str
    points: list[BookDepthSeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    method: str
    fetchedAt: int


class BookDepthSeries(_BookDepthSeriesRequired, total=False):
    """Resting orders near the mid of a coin over time. A minute that could not be taken is missing, never repeated."""

    recordingSince: int


class _WhaleTickRequired(TypedDict):
    coin: str
    side: Literal["buy", "sell"]
    notionalUsd: float
    price: float
    ts: int
    venue: str


class WhaleTick(_WhaleTickRequired, total=False):
    """A large print: all fills of one taker order."""

    size: float
    fills: int
    tid: int
    market: str
    grouping: Literal["order", "time"]


class LiquidationSnapMeasured(TypedDict):
    """Reported by venues; a lower bound where a venue reports at most one a second."""

    longUsd: float
    shortUsd: float
    count: int


class LiquidationSnapInferred(TypedDict):
    """What the tape of the primary venue shows."""

    longUsd: float
    shortUsd: float
    count: int


class _LiquidationSnapRequired(TypedDict):
    coin: str
    long24hUsd: float
    short24hUsd: float
    max24hUsd: float
    venues: list[str]
    fetchedAt: int


class LiquidationSnap(_LiquidationSnapRequired, total=False):
    """Liquidations of a coin in the last 24 hours, each venue counted from exactly one source."""

    measured: LiquidationSnapMeasured
    inferred: LiquidationSnapInferred
    quotes: list[str]
    unconverted: bool
    sinceTs: int
    aggregated: list[str]


class _LiquidationEventRequired(TypedDict):
    ts: int
    venue: str
    market: str
    coin: str
    side: Literal["buy", "sell"]
    position: Literal["long", "short"]
    price: float
    size: float
    notionalUsd: float
    quote: str
    inferred: bool


class LiquidationEvent(_LiquidationEventRequired, total=False):
    """One liquidation."""

    unconverted: bool


class LiquidationHistoryPointsItemMeasured(TypedDict):
    """Reported by venues."""

    longUsd: float
    shortUsd: float
    count: int


class LiquidationHistoryPointsItemInferred(TypedDict):
    """Inferred from the tape of the primary venue."""

    longUsd: float
    shortUsd: float
    count: int


class _LiquidationHistoryPointsItemRequired(TypedDict):
    ts: int
    longUsd: float
    shortUsd: float
    measured: LiquidationHistoryPointsItemMeasured
    inferred: LiquidationHistoryPointsItemInferred
    byVenue: dict[str, list[float]]
    complete: bool


class LiquidationHistoryPointsItem(_LiquidationHistoryPointsItemRequired, total=False):
    unconverted: bool


class LiquidationHistoryVenuesItem(TypedDict):
    venue: str
    longUsd: float
    shortUsd: float
    count: int
    method: Union[Literal["measured", "inferred", "both"], None]
    sinceTs: int
    connectedShare: float


class LiquidationHistoryCoinsItem(TypedDict):
    coin: str
    longUsd: float
    shortUsd: float


class LiquidationHistory(TypedDict):
    """Liquidations of all coins over time. An hour that was not recorded is missing, never 0."""

    interval: Literal["1h", "1d"]
    points: list[LiquidationHistoryPointsItem]
    venues: list[LiquidationHistoryVenuesItem]
    coins: list[LiquidationHistoryCoinsItem]
    recordingSince: Union[int, None]
    retention: str
    fetchedAt: int


class _PerpTickerRequired(TypedDict):
    coin: str
    venue: str
    mark: float
    index: Union[float, None]
    mid: Union[float, None]
    volume24h: Union[float, None]
    volume24hUsd: Union[float, None]
    change24hPct: Union[float, None]
    closes: list[Union[float, None]]
    closesUntil: Union[int, None]
    fetchedAt: int


class PerpTicker(_PerpTickerRequired, total=False):
    """Price of a coin on the primary venue, with its change over the last day."""

    sinceTs: int


class _VolumeSnapRequired(TypedDict):
    coin: str
    venue: str
    volume24hUsd: float
    volume24h: Union[float, None]
    method: Literal["reported", "lastPrice"]
    fetchedAt: int


class VolumeSnap(_VolumeSnapRequired, total=False):
    """Volume of one coin on one venue over the last 24 hours, as the venue reports it: summed over the linear USD, USDT and USDC perpetuals of the coin."""

    unconverted: bool
    stale: bool


class _TradeTickRequired(TypedDict):
    coin: str
    side: Literal["buy", "sell"]
    price: float
    size: float
    notionalUsd: float
    ts: int
    venue: str


class TradeTick(_TradeTickRequired, total=False):
    """A trade on the tape of the primary venue or of a market. Price and size print exactly the venue's decimals; those of a market are in coins and its quote currency."""

    market: str
    tid: int
    venueTs: int


class FundingChange(TypedDict):
    """A funding rate of the primary venue that moved from one poll to the next."""

    coin: str
    rate: float
    periodHours: float
    prevRate: float
    delta: float
    ts: int
    venue: str


class _HeartbeatRequired(TypedDict):
    ts: int


class Heartbeat(_HeartbeatRequired, total=False):
    """Sent first, then every 15 seconds, and at once when `state` changes. After a resume the first one carries the verdict."""

    now: int
    resumed: bool
    lostFrom: int
    lostTo: int
    unknown: list[str]
    state: Literal["stale", "down"]
    sinceTs: int
    reason: str


class Bye(TypedDict):
    """Sent when the service ends the stream."""

    reason: str


class _OptionChainRowRequired(TypedDict):
    instrument: str
    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    strike: float
    expiryMs: int
    type: Literal["C", "P"]
    oi: float
    volume24h: float
    markIv: float
    markPrice: float
    underlyingPrice: float


class OptionChainRow(_OptionChainRowRequired, total=False):
    """One option of the active chain."""

    markPriceUsd: float
    delta: float
    gamma: float
    vega: float
    theta: float
    venueInstrument: str


class GexSummaryCallWall(TypedDict):
    """The strike with the largest call exposure."""

    strike: float
    gex: float


class GexSummaryPutWall(TypedDict):
    """The strike with the largest put exposure."""

    strike: float
    gex: float


class _GexSummaryStrikesItemRequired(TypedDict):
    strike: float
    callOi: float
    putOi: float
    gex: float


class GexSummaryStrikesItem(_GexSummaryStrikesItemRequired, total=False):
    callGex: float
    putGex: float


class GexSummaryProfileItem(TypedDict):
    spot: float
    gex: float


class _GexSummaryRequired(TypedDict):
    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    spot: float
    totalGex: float
    callWall: GexSummaryCallWall
    putWall: GexSummaryPutWall
    gammaFlip: Union[float, None]
    strikes: list[GexSummaryStrikesItem]
    fetchedAt: int


class GexSummary(_GexSummaryRequired, total=False):
    """Dealer gamma exposure, computed from the option chain (Black-76, r = 0; dealers long calls and short puts)."""

    profile: list[GexSummaryProfileItem]
    convention: str
    flipMethod: str
    oiCoveredPct: float


class _OptionLevelsSeriesPointsItemRequired(TypedDict):
    t: int
    spot: float
    totalGex: float
    callWall: float
    putWall: float
    gammaFlip: Union[float, None]
    callOi: float
    putOi: float


class OptionLevelsSeriesPointsItem(_OptionLevelsSeriesPointsItemRequired, total=False):
    atmIv30: float


class OptionLevelsSeries(TypedDict):
    """Recorded levels of the options on a coin. A missing sample is missing, never repeated."""

    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    points: list[OptionLevelsSeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    fetchedAt: int


class VolatilityIndexSeriesPointsItem(TypedDict):
    t: int
    open: float
    high: float
    low: float
    close: float


class VolatilityIndexSeries(TypedDict):
    """A venue's own index of what the options on a coin imply for the next 30 days."""

    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    points: list[VolatilityIndexSeriesPointsItem]
    cadenceMs: float
    fetchedAt: int


class SkewSummarySmileByExpiryValueItem(TypedDict):
    strike: float
    iv: float
    type: Literal["C", "P"]
    moneyness: float


class _SkewSummaryTermStructureItemRequired(TypedDict):
    expiryMs: int
    expiryLabel: str
    dteDays: float
    atmIv: float


class SkewSummaryTermStructureItem(_SkewSummaryTermStructureItemRequired, total=False):
    rr25: float
    bf25: float
    maxPain: float


class SkewSummary(TypedDict):
    """Implied volatility by strike and expiry."""

    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    smileByExpiry: dict[str, list[SkewSummarySmileByExpiryValueItem]]
    termStructure: list[SkewSummaryTermStructureItem]
    fetchedAt: int


class _OptionTradeRowRequired(TypedDict):
    ts: int
    id: str
    instrument: str
    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    strike: float
    expiryMs: int
    type: Literal["C", "P"]
    side: Literal["buy", "sell"]
    price: float
    priceUsd: float
    size: float
    premiumUsd: float
    iv: float
    markPrice: float
    indexPrice: float
    delta: float
    vega: float
    venueInstrument: str


class OptionTradeRow(_OptionTradeRowRequired, total=False):
    """One trade of an option."""

    block: str
    blockLegs: int
    combo: str
    liquidated: Literal["maker", "taker", "both"]


class OptionFlowSummaryCalls(TypedDict):
    """Calls."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryPuts(TypedDict):
    """Puts."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryBlocksCalls(TypedDict):
    """Calls."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryBlocksPuts(TypedDict):
    """Puts."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryBlocks(TypedDict):
    """The legs of block trades, which `calls` and `puts` include unless `blocks=none`."""

    calls: OptionFlowSummaryBlocksCalls
    puts: OptionFlowSummaryBlocksPuts


class OptionFlowSummaryByExpiryItemCalls(TypedDict):
    """Calls."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryByExpiryItemPuts(TypedDict):
    """Puts."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryByExpiryItem(TypedDict):
    expiryMs: int
    expiryLabel: str
    calls: OptionFlowSummaryByExpiryItemCalls
    puts: OptionFlowSummaryByExpiryItemPuts


class OptionFlowSummaryByStrikeItemCalls(TypedDict):
    """Calls."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryByStrikeItemPuts(TypedDict):
    """Puts."""

    trades: int
    boughtUsd: float
    soldUsd: float
    netUsd: float
    boughtCoins: float
    soldCoins: float
    deltaCoins: float
    vegaUsd: float


class OptionFlowSummaryByStrikeItem(TypedDict):
    strike: float
    calls: OptionFlowSummaryByStrikeItemCalls
    puts: OptionFlowSummaryByStrikeItemPuts


class OptionFlowSummary(TypedDict):
    """What takers bought and sold of the options on a coin."""

    underlying: Literal["BTC", "ETH", "SOL", "XRP"]
    fromMs: int
    toMs: int
    calls: OptionFlowSummaryCalls
    puts: OptionFlowSummaryPuts
    blocks: OptionFlowSummaryBlocks
    byExpiry: list[OptionFlowSummaryByExpiryItem]
    byStrike: list[OptionFlowSummaryByStrikeItem]
    largest: list[OptionTradeRow]


class _EtfFlowsSnapRowsItemRequired(TypedDict):
    dateLabel: str
    dateMs: int
    values: dict[str, float]
    total: float


class EtfFlowsSnapRowsItem(_EtfFlowsSnapRowsItemRequired, total=False):
    partial: bool


class _EtfFlowsSnapRequired(TypedDict):
    asset: Literal["bitcoin", "ethereum"]
    tickers: list[str]
    rows: list[EtfFlowsSnapRowsItem]
    latestTotalUsdm: float
    cumulativeUsdm: float
    fetchedAt: int


class EtfFlowsSnap(_EtfFlowsSnapRequired, total=False):
    """Net flows of the spot ETFs of an asset on the trading days of the last 30 calendar days."""

    latestDateMs: int
    cumulativeFromMs: int
    refusedDays: list[str]


class TreasurySnapCompaniesItem(TypedDict):
    name: str
    symbol: str
    country: str
    totalHoldings: float
    totalEntryValueUsd: float
    totalCurrentValueUsd: float
    percentageOfTotalSupply: float


class TreasurySnap(TypedDict):
    """Public company holdings of an asset."""

    asset: Literal["bitcoin", "ethereum"]
    totalHoldings: float
    totalValueUsd: float
    marketCapDominance: float
    companies: list[TreasurySnapCompaniesItem]
    fetchedAt: int


class _ValuationSnapRequired(TypedDict):
    asset: Literal["bitcoin"]
    mvrvZScore: float
    nupl: float
    puellMultiple: float
    reserveRisk: float
    realizedCap: float
    asOfDate: str
    fetchedAt: int


class ValuationSnap(_ValuationSnapRequired, total=False):
    """Valuation metrics of bitcoin."""

    asOfByMetric: dict[str, str]


class _SpotTickRequired(TypedDict):
    coin: str
    venue: str
    price: float
    bid: float
    ask: float
    volume24h: float
    change24hPct: float
    fetchedAt: int


class SpotTick(_SpotTickRequired, total=False):
    """The spot price of a coin on one venue. Prices quoted in USDT are converted to USD."""

    quote: str
    rawPrice: float
    stale: bool


class _VenueSpreadSnapRowsItemRequired(TypedDict):
    venue: str
    priceUsd: float
    basisBps: float
    bid: float
    ask: float
    volume24h: float
    change24hPct: float
    stale: bool
    fetchedAt: int


class VenueSpreadSnapRowsItem(_VenueSpreadSnapRowsItemRequired, total=False):
    quote: str
    rawPrice: float
    asOf: int
    skewMs: int
    skewed: bool
    estimated: list[Literal["bid", "ask", "change24hPct", "volume24h"]]


class _VenueSpreadSnapRequired(TypedDict):
    coin: str
    globalMedianUsd: float
    rows: list[VenueSpreadSnapRowsItem]
    strongestPremiumVenue: str
    strongestDiscountVenue: str
    fetchedAt: int


class VenueSpreadSnap(_VenueSpreadSnapRequired, total=False):
    """Spot prices by venue relative to their median."""

    freshVenues: int
    skewMs: int
    dispersionBps: float
    usdtUsd: float
    usdtUsdAgeMs: int


class _KimchiPremiumSnapRequired(TypedDict):
    coin: str
    region: str
    localVenue: str
    localPair: str
    localPriceKrw: float
    usdKrw: float
    localPriceUsd: float
    globalMedianUsd: float
    premiumPct: float
    premiumBps: float
    bidAskPressure: Union[float, None]
    interpretation: Literal["premium", "discount", "neutral"]
    fetchedAt: int


class KimchiPremiumSnap(_KimchiPremiumSnapRequired, total=False):
    """Price of a coin in Korea relative to other markets."""

    premiumBpsUsdt: float
    usdKrwSource: str
    usdKrwAsOf: int
    usdKrwStale: bool
    usdtKrw: float
    skewMs: int
    skewed: bool


class _EtfFlowProxySnapDailyRequired(TypedDict):
    latestTotalUsdm: float
    cumulativeUsdm: float
    latestDateMs: int
    source: str


class EtfFlowProxySnapDaily(_EtfFlowProxySnapDailyRequired, total=False):
    cumulativeFromMs: int
    deviations: float
    refusedDays: list[str]


class _EtfFlowProxySnapSpotProxyRequired(TypedDict):
    proxyPremiumBps: float
    proxyVolumeShare: float
    proxyTapeDeltaUsd5m: float
    proxyNetTradeUsd5m: float
    confidence: Literal["low", "medium", "high"]
    label: str


class EtfFlowProxySnapSpotProxy(_EtfFlowProxySnapSpotProxyRequired, total=False):
    """The pressure on the proxy venue."""

    skewMs: int
    skewed: bool
    tapeComplete: bool
    sinceTs: int


class EtfFlowProxySnap(TypedDict):
    """Daily ETF flows beside the pressure on the spot venue that ETF custodians use."""

    asset: Literal["bitcoin", "ethereum"]
    daily: Union[EtfFlowProxySnapDaily, None]
    spotProxy: EtfFlowProxySnapSpotProxy
    fetchedAt: int


class _FlowSignalRequired(TypedDict):
    id: str
    coin: str
    layer: Literal["venue", "regional", "etf", "micro", "composite"]
    severity: Literal["info", "warm", "hot"]
    title: str
    message: str
    confidence: Literal["low", "medium", "high"]
    ts: int


class FlowSignal(_FlowSignalRequired, total=False):
    """A flow condition that crossed its threshold."""

    current: Union[float, None]
    peak: float
    unit: Literal["bps", "σ", "points"]


class FlowCoverage(TypedDict):
    """Which parts a figure is made from."""

    globalSpot: Literal["full", "partial", "none"]
    kimchi: Literal["live", "stale", "none"]
    etfProxy: Literal["live", "stale", "none"]
    primaryMicro: Literal["live", "stale", "none"]


class FlowSummarySnapRowsItemComponentsItem(TypedDict):
    part: str
    x: float
    scale: float
    weight: float
    contribution: float


class _FlowSummarySnapRowsItemRequired(TypedDict):
    coin: str
    coverage: FlowCoverage
    flowPressureScore: float
    headline: str


class FlowSummarySnapRowsItem(_FlowSummarySnapRowsItemRequired, total=False):
    components: list[FlowSummarySnapRowsItemComponentsItem]


class FlowSummarySnap(TypedDict):
    """The flows of several coins at a glance."""

    coins: list[str]
    rows: list[FlowSummarySnapRowsItem]
    signals: list[FlowSignal]
    fetchedAt: int


class FlowHistorySeriesPointsItem(TypedDict):
    t: int
    v: float
    partial: bool
    stale: bool
    source: str
    sources: list[SourceEntry]
    coverage: FlowCoverage


class FlowHistorySeries(TypedDict):
    """A flow metric by the minute."""

    coin: str
    metric: Literal["flowPressureScore", "proxyPremiumBps", "kimchiPremiumBps", "etfLatestTotalUsdm", "proxyTapeDeltaUsd5m", "primaryMicroNetUsd5m", "venueSpreadDispersionBps", "sourcePartial"]
    interval: Literal["1m"]
    points: list[FlowHistorySeriesPointsItem]
    retention: str
    enabled: bool
    fetchedAt: int


class CvdSeriesPointsItemPerp(TypedDict):
    """All perpetuals."""

    deltaCoins: float
    deltaUsd: float
    cvdCoins: float
    cvdUsd: float


class CvdSeriesPointsItemSpot(TypedDict):
    """All spot markets."""

    deltaCoins: float
    deltaUsd: float
    cvdCoins: float
    cvdUsd: float


class CvdSeriesPointsItemAll(TypedDict):
    """All markets."""

    deltaCoins: float
    deltaUsd: float
    cvdCoins: float
    cvdUsd: float


class CvdSeriesPointsItem(TypedDict):
    ts: int
    complete: bool
    markets: dict[str, list[float]]
    perp: CvdSeriesPointsItemPerp
    spot: CvdSeriesPointsItemSpot
    all: CvdSeriesPointsItemAll


class CvdSeries(TypedDict):
    """Cumulative volume delta of a coin over its recorded markets."""

    coin: str
    interval: Literal["1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w"]
    start: int
    points: list[CvdSeriesPointsItem]


class FlowExplanationFormulasItem(TypedDict):
    field: str
    formula: str


class FlowExplanationInputsItem(TypedDict):
    coin: str
    name: str
    value: float
    unit: str
    source: str
    ts: int


class FlowExplanationLeftOutItem(TypedDict):
    coin: str
    what: str
    why: str


class FlowExplanation(TypedDict):
    """How the figures of an answer were made."""

    formulas: list[FlowExplanationFormulasItem]
    inputs: list[FlowExplanationInputsItem]
    leftOut: list[FlowExplanationLeftOutItem]


class VenueCatalogEntryCapabilities(TypedDict):
    """What it supplies."""

    oi: bool
    funding: bool
    spot: bool
    liquidations: bool
    options: bool
    predictions: bool


class VenueCatalogEntry(TypedDict):
    """A venue and what it supplies."""

    id: str
    name: str
    kind: Literal["cex", "dex", "options", "prediction", "tradfi"]
    status: Literal["live", "planned"]
    capabilities: VenueCatalogEntryCapabilities
    dataSource: str


class MarketInfo(TypedDict):
    """A market of a venue."""

    exchange: str
    symbol: str
    coin: Union[str, None]
    kind: Literal["perp", "spot", "option", "prediction"]
    label: str


class _MarketsResponseRequired(TypedDict):
    venues: list[VenueCatalogEntry]


class MarketsResponse(_MarketsResponseRequired, total=False):
    """The catalogue of venues and, with `exchange`, a page of the markets of one."""

    exchange: str
    markets: list[MarketInfo]
    page: int
    pageSize: int
    total: int


class _PointsRowRequired(TypedDict):
    type: str
    coin: str
    exchange: str
    value: float
    unit: Literal["USD", "RATE_8H"]
    byExchange: dict[str, float]
    fetchedAt: int


class PointsRow(_PointsRowRequired, total=False):
    """One value, of one venue or folded over several."""

    mean: float
    count: int
    staleExchanges: list[str]


class PointsResponse(TypedDict):
    """The answer of the generic aggregation."""

    type: str
    exchanges: list[str]
    groupBy: Literal["GROUP_BY_TYPE_NONE", "GROUP_BY_TYPE_SUM"]
    rows: list[PointsRow]


class PredictionEventOutcomesItem(TypedDict):
    name: str
    tokenId: str
    price: float


class PredictionEvent(TypedDict):
    """An active binary market of the prediction venue."""

    id: str
    slug: str
    title: str
    question: str
    outcomes: list[PredictionEventOutcomesItem]
    liquidityUsd: float
    volume24hUsd: float
    endMs: int
    hoursToClose: float
    score: float
    url: str
    eventId: str
    coin: Union[str, None]


class PredictionBookDepth(TypedDict):
    """How much stands in the book."""

    bidUsd: float
    askUsd: float


class PredictionBook(TypedDict):
    """The whole order book of one outcome."""

    tokenId: str
    bids: list[list[float]]
    asks: list[list[float]]
    bestBid: Union[float, None]
    bestAsk: Union[float, None]
    spread: Union[float, None]
    mid: Union[float, None]
    depth: PredictionBookDepth
    ts: int
    eventPrice: Union[float, None]
    stuck: Union[bool, None]


class QuestionPriceSeriesPointsItem(TypedDict):
    t: int
    price: float


class QuestionPriceSeries(TypedDict):
    """Recorded prices of a question. A missing sample is missing, never repeated."""

    id: str
    points: list[QuestionPriceSeriesPointsItem]
    cadenceMs: float
    retention: str
    enabled: bool
    fetchedAt: int


class RotationBuild(TypedDict):
    """A build that was submitted."""

    jobId: str
    cacheKey: str
    cached: bool
    degraded: bool


_RotationStatsGapsItemKeywords = TypedDict("_RotationStatsGapsItemKeywords", {"from": "int"})


class RotationStatsGapsItem(_RotationStatsGapsItemKeywords):
    to: int
    reason: str


class RotationStatsMergedMembersItemCursor(TypedDict):
    ts: int
    count: int


class RotationStatsMergedMembersItem(TypedDict):
    market: str
    trades: int
    cursor: Union[RotationStatsMergedMembersItemCursor, None]


class RotationStatsMerged(TypedDict):
    """Of a build over several markets: what it was merged from."""

    reference: str
    price: float
    members: list[RotationStatsMergedMembersItem]


class _RotationStatsRequired(TypedDict):
    trades: int
    bars: int
    firstTs: Union[int, None]
    lastTs: Union[int, None]
    gaps: list[RotationStatsGapsItem]
    degraded: bool
    tick: float
    buildMs: float


class RotationStats(_RotationStatsRequired, total=False):
    """What a build was made from."""

    market: str
    merged: RotationStatsMerged


class _RotationJobRequired(TypedDict):
    status: Literal["queued", "running", "done", "error"]
    pct: float
    trades: int
    totalTrades: int
    bars: int


class RotationJob(_RotationJobRequired, total=False):
    """A build under way."""

    resultKey: str
    error: str
    stats: RotationStats
    submittedAt: int


class Bar(TypedDict):
    """A bar. Kinds may add numbers of their own, such as `boxes` of a point-and-figure column."""

    index: int
    openTs: int
    closeTs: int
    open: float
    high: float
    low: float
    close: float
    volume: float
    buyVolume: float
    notionalUsd: float
    trades: int
    delta: float
    minDelta: float
    maxDelta: float
    direction: int
    complete: bool


class PackedResult(TypedDict):
    """A result pack within JSON."""

    encoding: Literal["base64"]
    pack: str


class RotationResult(TypedDict):
    """A finished build."""

    coin: str
    kind: str
    params: dict[str, Union[float, str]]
    tick: float
    bars: list[Bar]
    open: Union[Bar, None]
    state: str
    stats: RotationStats


class RecordedMarketUnit(TypedDict):
    """How packed chunks count: size × contractSize ÷ scale, price × scale."""

    contractSize: float
    scale: float


class _RecordedMarketRequired(TypedDict):
    market: str
    venue: str
    kind: Literal["perp", "spot"]
    symbol: str
    coin: str
    quote: str
    usdRate: Union[float, None]
    unit: RecordedMarketUnit
    tick: Union[float, None]
    recordingSince: Union[int, None]
    firstTs: Union[int, None]
    lastTs: Union[int, None]
    trades24h: int
    completeness24h: float
    counted: bool


class RecordedMarket(_RecordedMarketRequired, total=False):
    """A market whose trades are recorded."""

    sinceTs: int


class LakeDayFilesItem(TypedDict):
    table: str
    path: str
    rows: int
    bytes: int


class LakeDay(TypedDict):
    """The files of a UTC day of a market."""

    date: str
    market: str
    coin: str
    trades: int
    bytes: int
    complete: bool
    archived: bool
    files: list[LakeDayFilesItem]


class _CandleRequired(TypedDict):
    ts: int
    open: float
    high: float
    low: float
    close: float
    volume: float
    liqLongUsd: float
    liqShortUsd: float
    complete: Union[bool, None]
    origin: Literal["tape", "venue"]


class Candle(_CandleRequired, total=False):
    """The trades of a market in one interval. Intervals without a trade have no candle."""

    buyVolume: float
    notionalUsd: float
    trades: int
    buyTrades: int
    byMarket: dict[str, list[float]]


class _RawTradeRequired(TypedDict):
    ts: int
    price: float
    size: float
    side: Literal["buy", "sell"]
    tid: int


class RawTrade(_RawTradeRequired, total=False):
    """A recorded trade of the primary venue. Price and size read exactly as the venue wrote them."""

    venueTs: int
    recvMs: Union[int, None]


class _TradeChunkRequired(TypedDict):
    startTs: int
    endTs: int
    trades: int
    bytes: int
    data: str


class TradeChunk(_TradeChunkRequired, total=False):
    """A stretch of the tape as it is stored: one gzip member; docs/formats.md describes its layout."""

    ids: str
    recv: str


class TradePageUnit(TypedDict):
    """With `market`, of another venue: the chunks keep its own numbers. Size × contractSize ÷ scale counts coins, price × scale is the price of one. A page ends where the venue changed it."""

    contractSize: float
    scale: float
    quote: str


class _TradePageRequired(TypedDict):
    coin: str
    version: int
    chunks: list[TradeChunk]


class TradePage(_TradePageRequired, total=False):
    """Whole chunks with any trade in the range; the reader leaves out what lies outside."""

    market: str
    unit: TradePageUnit


_TapeHoleRequiredKeywords = TypedDict("_TapeHoleRequiredKeywords", {"from": "int"})


class _TapeHoleRequired(_TapeHoleRequiredKeywords):
    to: int
    state: Literal["missing", "partial", "refilled"]
    reason: str


class TapeHole(_TapeHoleRequired, total=False):
    """An interval without a connected feed."""

    method: Literal["count", "socket"]
    missing: int
    late: bool


_CoverageStretchRequiredKeywords = TypedDict("_CoverageStretchRequiredKeywords", {"from": "int"})


class _CoverageStretchRequired(_CoverageStretchRequiredKeywords):
    to: int
    state: Literal["complete", "refilled", "partial", "missing"]


class CoverageStretch(_CoverageStretchRequired, total=False):
    """A stretch of the tape of one state."""

    reason: str
    method: Literal["count", "socket"]
    recordedTrades: int
    expectedTrades: int


class _AuditHourOursRequired(TypedDict):
    volume: float


class AuditHourOurs(_AuditHourOursRequired, total=False):
    """Recorded; only the volume and what the venue's candles prove."""

    buyVolume: float
    notionalUsd: float
    trades: int


class _AuditHourVenueRequired(TypedDict):
    volume: float


class AuditHourVenue(_AuditHourVenueRequired, total=False):
    """Of the venue; absent while unavailable."""

    buyVolume: float
    notionalUsd: float
    trades: int


class _AuditHourMinutesItemOursRequired(TypedDict):
    volume: float


class AuditHourMinutesItemOurs(_AuditHourMinutesItemOursRequired, total=False):
    """Absent where nothing is recorded."""

    buyVolume: float
    notionalUsd: float
    trades: int


class _AuditHourMinutesItemVenueRequired(TypedDict):
    volume: float


class AuditHourMinutesItemVenue(_AuditHourMinutesItemVenueRequired, total=False):
    """Absent where the venue has no trade."""

    buyVolume: float
    notionalUsd: float
    trades: int


class _AuditHourMinutesItemRequired(TypedDict):
    ts: int
    figures: list[Literal["prices", "volume", "buyVolume", "notional", "trades"]]
    isReported: bool


class AuditHourMinutesItem(_AuditHourMinutesItemRequired, total=False):
    ours: AuditHourMinutesItemOurs
    venue: AuditHourMinutesItemVenue


class _AuditHourRefillRequired(TypedDict):
    trades: int
    isRepaired: bool


class AuditHourRefill(_AuditHourRefillRequired, total=False):
    """Of an hour that differs or has a reported gap, on a market whose trades are numbered: the minutes were requested from the venue again."""

    reason: str


class _AuditHourRequired(TypedDict):
    market: str
    hour: int
    verdict: Literal["equal", "within", "differs", "incomplete", "unavailable"]
    ours: AuditHourOurs


class AuditHour(_AuditHourRequired, total=False):
    """A recorded hour of a market against the venue's own candles of it."""

    venue: AuditHourVenue
    diffPct: float
    minutes: list[AuditHourMinutesItem]
    reason: str
    refill: AuditHourRefill


class AuditSummaryDaysItem(TypedDict):
    venue: str
    day: int
    equal: int
    within: int
    differs: int
    incomplete: int
    unavailable: int


class _AuditSummaryWorstItemRequired(TypedDict):
    market: str
    hour: int
    verdict: Literal["equal", "within", "differs", "incomplete", "unavailable"]


class AuditSummaryWorstItem(_AuditSummaryWorstItemRequired, total=False):
    diffPct: float


class _AuditSummaryRequired(TypedDict):
    days: list[AuditSummaryDaysItem]
    worst: list[AuditSummaryWorstItem]


class AuditSummary(_AuditSummaryRequired, total=False):
    """How many recorded hours are the same as the venues have them, by venue and day."""

    nextAt: int


class _AuditDayMarketHoursItemRequired(TypedDict):
    hour: int
    verdict: Literal["equal", "within", "differs", "incomplete", "unavailable"]


class AuditDayMarketHoursItem(_AuditDayMarketHoursItemRequired, total=False):
    diffPct: float


class AuditDayMarket(TypedDict):
    """The verdicts of a market on one day."""

    market: str
    hours: list[AuditDayMarketHoursItem]


class FillsReconciliationTotal(TypedDict):
    """All coins together."""

    chain: int
    tape: int
    matched: int
    missing: int
    missingReported: int
    extra: int
    different: int


class FillsReconciliationCoinsItem(TypedDict):
    coin: str
    chain: int
    tape: int
    matched: int
    missing: int
    missingReported: int
    extra: int
    different: int


class FillsReconciliationMissingItemTape(TypedDict):
    """Of a different trade: what the tape has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class FillsReconciliationMissingItemChain(TypedDict):
    """Of a different trade: what the chain has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class _FillsReconciliationMissingItemRequired(TypedDict):
    coin: str
    ts: int
    tid: int


class FillsReconciliationMissingItem(_FillsReconciliationMissingItemRequired, total=False):
    isReported: bool
    tape: FillsReconciliationMissingItemTape
    chain: FillsReconciliationMissingItemChain


class FillsReconciliationExtraItemTape(TypedDict):
    """Of a different trade: what the tape has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class FillsReconciliationExtraItemChain(TypedDict):
    """Of a different trade: what the chain has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class _FillsReconciliationExtraItemRequired(TypedDict):
    coin: str
    ts: int
    tid: int


class FillsReconciliationExtraItem(_FillsReconciliationExtraItemRequired, total=False):
    isReported: bool
    tape: FillsReconciliationExtraItemTape
    chain: FillsReconciliationExtraItemChain


class FillsReconciliationDifferentItemTape(TypedDict):
    """Of a different trade: what the tape has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class FillsReconciliationDifferentItemChain(TypedDict):
    """Of a different trade: what the chain has."""

    ts: int
    side: Literal["buy", "sell"]
    price: float
    size: float


class _FillsReconciliationDifferentItemRequired(TypedDict):
    coin: str
    ts: int
    tid: int


class FillsReconciliationDifferentItem(_FillsReconciliationDifferentItemRequired, total=False):
    isReported: bool
    tape: FillsReconciliationDifferentItemTape
    chain: FillsReconciliationDifferentItemChain


class _FillsReconciliationRequired(TypedDict):
    day: str
    comparedAtMs: int
    verdict: Literal["equal", "incomplete", "differs"]
    hoursMissing: list[int]
    refused: int
    coinsNotRecorded: int
    total: FillsReconciliationTotal


class FillsReconciliation(_FillsReconciliationRequired, total=False):
    """A recorded day of the primary venue against the fills that the chain publishes."""

    coins: list[FillsReconciliationCoinsItem]
    missing: list[FillsReconciliationMissingItem]
    extra: list[FillsReconciliationExtraItem]
    different: list[FillsReconciliationDifferentItem]


class LiquidationScoreDayTotal(TypedDict):
    inferred: int
    correct: int
    marked: int
    found: int
    unwatched: int
    inferredUsd: float
    markedUsd: float
    precision: Union[float, None]
    recall: Union[float, None]
    notionalErrorPct: Union[float, None]


class LiquidationScoreDayCoinsItem(TypedDict):
    coin: str
    inferred: int
    correct: int
    marked: int
    found: int
    unwatched: int
    inferredUsd: float
    markedUsd: float
    precision: Union[float, None]
    recall: Union[float, None]
    notionalErrorPct: Union[float, None]


class _LiquidationScoreDayRequired(TypedDict):
    day: str
    comparedAtMs: int
    hoursMissing: list[int]
    total: Union[LiquidationScoreDayTotal, None]


class LiquidationScoreDay(_LiquidationScoreDayRequired, total=False):
    """The inferred liquidations of a day against those that the chain marks."""

    coins: list[LiquidationScoreDayCoinsItem]


class SourceFeed(TypedDict):
    """One resource or feed of a source."""

    source: str
    gives: list[str]
    status: Union[Literal["ok", "stale", "down", "blocked", "limited", "changed"], None]
    error: Union[str, None]
    notes: list[str]
    sinceTs: int
    ageMs: Union[float, None]
    messagesLastMinute: Union[int, None]
    messages: int
    refused: int
    reconnects: int


class SourceInfoCredit(TypedDict):
    """Present where its terms ask to be named; also in `meta.attribution` of answers."""

    text: str
    url: str


class _SourceInfoRequired(TypedDict):
    id: str
    name: str
    takes: str
    trust: Literal["documented", "aggregated", "undocumented"]
    attribution: str
    termsUrl: Union[str, None]
    termsNote: str
    status: Union[Literal["ok", "stale", "down", "blocked", "limited", "changed"], None]
    gaps24h: Union[int, None]
    notes: list[str]
    feeds: list[SourceFeed]


class SourceInfo(_SourceInfoRequired, total=False):
    """A source of served figures: its identity, terms and state."""

    credit: SourceInfoCredit
    sinceTs: int


class _SourceEntryRequired(TypedDict):
    source: str
    status: Literal["ok", "stale", "down", "blocked", "limited", "changed"]
    ageMs: Union[float, None]
    error: Union[str, None]


class SourceEntry(_SourceEntryRequired, total=False):
    """A source that did not give all it should."""

    coins: list[str]


class _FailureMetaRequired(TypedDict):
    fetchedAt: int
    source: str
    code: Literal["bad_request", "unauthorized", "forbidden", "not_found", "method_not_allowed", "too_large", "rate_limited", "internal", "not_implemented", "overloaded", "upstream_unavailable"]


class FailureMeta(_FailureMetaRequired, total=False):
    """Error code and details."""

    id: str
    unknown: list[str]
    sources: list[SourceEntry]
    keyStatus: Literal["invalid", "unavailable"]


class Failure(TypedDict):
    """The body of every failure."""

    error: str
    data: list[Any]
    meta: FailureMeta
