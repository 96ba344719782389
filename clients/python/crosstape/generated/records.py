# Generated from docs/openapi.json by `npm run generate`. Do not edit.
"""Records of the REST interface. Times are milliseconds since the Unix epoch."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

_OiSnapRequired = TypedDict(
    "_OiSnapRequired",
    {
        "coin": "str",
        "venue": "str",
        "oiUsd": "float",
        "oiContracts": "float",
        "fetchedAt": "int",
    },
)


_OiSnapOptional = TypedDict(
    "_OiSnapOptional",
    {
        "oiCoin": "float",
        "symbol": "str",
        "quote": "str",
        "unconverted": "bool",
        "stale": "bool",
    },
    total=False,
)


class OiSnap(_OiSnapRequired, _OiSnapOptional):
    """Open interest of one coin on one venue: one-sided, summed over the linear USD, USDT and USDC perpetuals of the coin."""


_OiChangeRequired = TypedDict(
    "_OiChangeRequired",
    {
        "coin": "str",
        "venue": "str",
        "t": "int",
        "oiContracts": "float",
        "change1hPct": "Union[float, None]",
        "change4hPct": "Union[float, None]",
        "change24hPct": "Union[float, None]",
    },
)


class OiChange(_OiChangeRequired):
    """How the open interest of one coin on one venue has changed, by recorded samples."""


_CvdWindowsRequired = TypedDict(
    "_CvdWindowsRequired",
    {
        "coin": "str",
        "venue": "str",
        "cvd1hUsd": "Union[float, None]",
        "cvd4hUsd": "Union[float, None]",
        "cvd24hUsd": "Union[float, None]",
        "complete": "bool",
    },
)


class CvdWindows(_CvdWindowsRequired):
    """Taker-buy less taker-sell value of one coin on the primary venue, up to now."""


_FundingSnapNativeRequired = TypedDict(
    "_FundingSnapNativeRequired",
    {
        "rate": "float",
        "periodHours": "float",
    },
)


class FundingSnapNative(_FundingSnapNativeRequired):
    """The rate before scaling."""


_FundingSnapRequired = TypedDict(
    "_FundingSnapRequired",
    {
        "coin": "str",
        "venue": "str",
        "rate": "float",
        "periodHours": "float",
        "fetchedAt": "int",
    },
)


_FundingSnapOptional = TypedDict(
    "_FundingSnapOptional",
    {
        "native": "FundingSnapNative",
        "nextFundingTs": "int",
        "symbol": "str",
        "stale": "bool",
    },
    total=False,
)


class FundingSnap(_FundingSnapRequired, _FundingSnapOptional):
    """Current funding rate of one coin on one venue, of the contract with the most open interest."""


_OiHistorySeriesPointsItemRequired = TypedDict(
    "_OiHistorySeriesPointsItemRequired",
    {
        "t": "int",
        "v": "float",
    },
)


_OiHistorySeriesPointsItemOptional = TypedDict(
    "_OiHistorySeriesPointsItemOptional",
    {
        "origin": "Literal['recorded', 'venue']",
    },
    total=False,
)


class OiHistorySeriesPointsItem(_OiHistorySeriesPointsItemRequired, _OiHistorySeriesPointsItemOptional):
    pass


_OiHistorySeriesRequired = TypedDict(
    "_OiHistorySeriesRequired",
    {
        "coin": "str",
        "venue": "str",
        "points": "list[OiHistorySeriesPointsItem]",
        "cadenceMs": "float",
        "retention": "str",
        "enabled": "bool",
        "fetchedAt": "int",
    },
)


_OiHistorySeriesOptional = TypedDict(
    "_OiHistorySeriesOptional",
    {
        "recordingSince": "int",
    },
    total=False,
)


class OiHistorySeries(_OiHistorySeriesRequired, _OiHistorySeriesOptional):
    """Open interest of a coin over time: on the primary venue unless another is named. A missing sample is missing, never repeated."""


_FundingHistorySeriesPointsItemRequired = TypedDict(
    "_FundingHistorySeriesPointsItemRequired",
    {
        "ts": "int",
        "byVenue": "dict[str, float]",
    },
)


_FundingHistorySeriesPointsItemOptional = TypedDict(
    "_FundingHistorySeriesPointsItemOptional",
    {
        "nativePeriodHours": "dict[str, float]",
        "origin": "dict[str, Literal['recorded', 'venue']]",
    },
    total=False,
)


class FundingHistorySeriesPointsItem(_FundingHistorySeriesPointsItemRequired, _FundingHistorySeriesPointsItemOptional):
    pass


_FundingHistorySeriesRequired = TypedDict(
    "_FundingHistorySeriesRequired",
    {
        "coin": "str",
        "points": "list[FundingHistorySeriesPointsItem]",
        "cadenceMs": "float",
        "retention": "str",
        "enabled": "bool",
        "fetchedAt": "int",
    },
)


_FundingHistorySeriesOptional = TypedDict(
    "_FundingHistorySeriesOptional",
    {
        "recordingSince": "int",
        "periodHours": "dict[str, float]",
    },
    total=False,
)


class FundingHistorySeries(_FundingHistorySeriesRequired, _FundingHistorySeriesOptional):
    """Recorded funding rates of a coin by venue. A missing sample is missing, never repeated."""


_PositioningSnapRequired = TypedDict(
    "_PositioningSnapRequired",
    {
        "coin": "str",
        "venue": "str",
        "view": "Literal['global', 'top']",
        "longFraction": "float",
        "longShortRatio": "float",
        "fetchedAt": "int",
    },
)


_PositioningSnapOptional = TypedDict(
    "_PositioningSnapOptional",
    {
        "basis": "Literal['accounts', 'positions']",
    },
    total=False,
)


class PositioningSnap(_PositioningSnapRequired, _PositioningSnapOptional):
    """How the accounts of a venue are positioned in a coin."""


_WhaleTickRequired = TypedDict(
    "_WhaleTickRequired",
    {
        "coin": "str",
        "side": "Literal['buy', 'sell']",
        "notionalUsd": "float",
        "price": "float",
        "ts": "int",
        "venue": "str",
    },
)


_WhaleTickOptional = TypedDict(
    "_WhaleTickOptional",
    {
        "size": "float",
        "fills": "int",
        "tid": "int",
        "market": "str",
        "grouping": "Literal['order', 'time']",
    },
    total=False,
)


class WhaleTick(_WhaleTickRequired, _WhaleTickOptional):
    """A large print: all fills of one taker order."""


_LiquidationSnapMeasuredRequired = TypedDict(
    "_LiquidationSnapMeasuredRequired",
    {
        "longUsd": "float",
        "shortUsd": "float",
        "count": "int",
    },
)


class LiquidationSnapMeasured(_LiquidationSnapMeasuredRequired):
    """Reported by venues; a lower bound where a venue reports at most one a second."""


_LiquidationSnapInferredRequired = TypedDict(
    "_LiquidationSnapInferredRequired",
    {
        "longUsd": "float",
        "shortUsd": "float",
        "count": "int",
    },
)


class LiquidationSnapInferred(_LiquidationSnapInferredRequired):
    """What the tape of the primary venue shows."""


_LiquidationSnapRequired = TypedDict(
    "_LiquidationSnapRequired",
    {
        "coin": "str",
        "long24hUsd": "float",
        "short24hUsd": "float",
        "max24hUsd": "float",
        "venues": "list[str]",
        "fetchedAt": "int",
    },
)


_LiquidationSnapOptional = TypedDict(
    "_LiquidationSnapOptional",
    {
        "measured": "LiquidationSnapMeasured",
        "inferred": "LiquidationSnapInferred",
        "quotes": "list[str]",
        "unconverted": "bool",
        "sinceTs": "int",
        "aggregated": "list[str]",
    },
    total=False,
)


class LiquidationSnap(_LiquidationSnapRequired, _LiquidationSnapOptional):
    """Liquidations of a coin in the last 24 hours, each venue counted from exactly one source."""


_LiquidationEventRequired = TypedDict(
    "_LiquidationEventRequired",
    {
        "ts": "int",
        "venue": "str",
        "market": "str",
        "coin": "str",
        "side": "Literal['buy', 'sell']",
        "position": "Literal['long', 'short']",
        "price": "float",
        "size": "float",
        "notionalUsd": "float",
        "quote": "str",
        "inferred": "bool",
    },
)


_LiquidationEventOptional = TypedDict(
    "_LiquidationEventOptional",
    {
        "unconverted": "bool",
    },
    total=False,
)


class LiquidationEvent(_LiquidationEventRequired, _LiquidationEventOptional):
    """One liquidation."""


_PerpTickerRequired = TypedDict(
    "_PerpTickerRequired",
    {
        "coin": "str",
        "venue": "str",
        "mark": "float",
        "index": "Union[float, None]",
        "mid": "Union[float, None]",
        "volume24h": "Union[float, None]",
        "volume24hUsd": "Union[float, None]",
        "change24hPct": "Union[float, None]",
        "closes": "list[Union[float, None]]",
        "closesUntil": "Union[int, None]",
        "fetchedAt": "int",
    },
)


_PerpTickerOptional = TypedDict(
    "_PerpTickerOptional",
    {
        "sinceTs": "int",
    },
    total=False,
)


class PerpTicker(_PerpTickerRequired, _PerpTickerOptional):
    """What a coin costs on the primary venue, and what became of it over the last day."""


_TradeTickRequired = TypedDict(
    "_TradeTickRequired",
    {
        "coin": "str",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
        "notionalUsd": "float",
        "ts": "int",
        "venue": "str",
    },
)


_TradeTickOptional = TypedDict(
    "_TradeTickOptional",
    {
        "market": "str",
        "tid": "int",
        "venueTs": "int",
    },
    total=False,
)


class TradeTick(_TradeTickRequired, _TradeTickOptional):
    """A trade on the tape of the primary venue or of a market. Price and size print exactly the venue's decimals; those of a market are in coins and its quote currency."""


_FundingChangeRequired = TypedDict(
    "_FundingChangeRequired",
    {
        "coin": "str",
        "rate": "float",
        "periodHours": "float",
        "prevRate": "float",
        "delta": "float",
        "ts": "int",
        "venue": "str",
    },
)


class FundingChange(_FundingChangeRequired):
    """A funding rate of the primary venue that moved from one poll to the next."""


_HeartbeatRequired = TypedDict(
    "_HeartbeatRequired",
    {
        "ts": "int",
    },
)


_HeartbeatOptional = TypedDict(
    "_HeartbeatOptional",
    {
        "now": "int",
        "resumed": "bool",
        "lostFrom": "int",
        "lostTo": "int",
        "unknown": "list[str]",
        "state": "Literal['stale', 'down']",
        "sinceTs": "int",
        "reason": "str",
    },
    total=False,
)


class Heartbeat(_HeartbeatRequired, _HeartbeatOptional):
    """Sent first, then every 15 seconds, and at once when `state` changes. After a resume the first one carries the verdict."""


_ByeRequired = TypedDict(
    "_ByeRequired",
    {
        "reason": "str",
    },
)


class Bye(_ByeRequired):
    """Sent when the service ends the stream."""


_OptionChainRowRequired = TypedDict(
    "_OptionChainRowRequired",
    {
        "instrument": "str",
        "underlying": "Literal['BTC', 'ETH', 'SOL', 'XRP']",
        "strike": "float",
        "expiryMs": "int",
        "type": "Literal['C', 'P']",
        "oi": "float",
        "volume24h": "float",
        "markIv": "float",
        "markPrice": "float",
        "underlyingPrice": "float",
    },
)


_OptionChainRowOptional = TypedDict(
    "_OptionChainRowOptional",
    {
        "markPriceUsd": "float",
        "delta": "float",
        "gamma": "float",
        "vega": "float",
        "theta": "float",
        "venueInstrument": "str",
    },
    total=False,
)


class OptionChainRow(_OptionChainRowRequired, _OptionChainRowOptional):
    """One option of the active chain."""


_GexSummaryCallWallRequired = TypedDict(
    "_GexSummaryCallWallRequired",
    {
        "strike": "float",
        "gex": "float",
    },
)


class GexSummaryCallWall(_GexSummaryCallWallRequired):
    """The strike with the largest call exposure."""


_GexSummaryPutWallRequired = TypedDict(
    "_GexSummaryPutWallRequired",
    {
        "strike": "float",
        "gex": "float",
    },
)


class GexSummaryPutWall(_GexSummaryPutWallRequired):
    """The strike with the largest put exposure."""


_GexSummaryStrikesItemRequired = TypedDict(
    "_GexSummaryStrikesItemRequired",
    {
        "strike": "float",
        "callOi": "float",
        "putOi": "float",
        "gex": "float",
    },
)


_GexSummaryStrikesItemOptional = TypedDict(
    "_GexSummaryStrikesItemOptional",
    {
        "callGex": "float",
        "putGex": "float",
    },
    total=False,
)


class GexSummaryStrikesItem(_GexSummaryStrikesItemRequired, _GexSummaryStrikesItemOptional):
    pass


_GexSummaryProfileItemRequired = TypedDict(
    "_GexSummaryProfileItemRequired",
    {
        "spot": "float",
        "gex": "float",
    },
)


class GexSummaryProfileItem(_GexSummaryProfileItemRequired):
    pass


_GexSummaryRequired = TypedDict(
    "_GexSummaryRequired",
    {
        "underlying": "Literal['BTC', 'ETH', 'SOL', 'XRP']",
        "spot": "float",
        "totalGex": "float",
        "callWall": "GexSummaryCallWall",
        "putWall": "GexSummaryPutWall",
        "gammaFlip": "Union[float, None]",
        "strikes": "list[GexSummaryStrikesItem]",
        "fetchedAt": "int",
    },
)


_GexSummaryOptional = TypedDict(
    "_GexSummaryOptional",
    {
        "profile": "list[GexSummaryProfileItem]",
        "convention": "str",
        "flipMethod": "str",
        "oiCoveredPct": "float",
    },
    total=False,
)


class GexSummary(_GexSummaryRequired, _GexSummaryOptional):
    """Dealer gamma exposure, computed from the option chain (Black-76, r = 0; dealers long calls and short puts)."""


_OptionLevelsSeriesPointsItemRequired = TypedDict(
    "_OptionLevelsSeriesPointsItemRequired",
    {
        "t": "int",
        "spot": "float",
        "totalGex": "float",
        "callWall": "float",
        "putWall": "float",
        "gammaFlip": "Union[float, None]",
        "callOi": "float",
        "putOi": "float",
    },
)


_OptionLevelsSeriesPointsItemOptional = TypedDict(
    "_OptionLevelsSeriesPointsItemOptional",
    {
        "atmIv30": "float",
    },
    total=False,
)


class OptionLevelsSeriesPointsItem(_OptionLevelsSeriesPointsItemRequired, _OptionLevelsSeriesPointsItemOptional):
    pass


_OptionLevelsSeriesRequired = TypedDict(
    "_OptionLevelsSeriesRequired",
    {
        "underlying": "Literal['BTC', 'ETH', 'SOL', 'XRP']",
        "points": "list[OptionLevelsSeriesPointsItem]",
        "cadenceMs": "float",
        "retention": "str",
        "enabled": "bool",
        "fetchedAt": "int",
    },
)


class OptionLevelsSeries(_OptionLevelsSeriesRequired):
    """Recorded levels of the options on a coin. A missing sample is missing, never repeated."""


_SkewSummarySmileByExpiryValueItemRequired = TypedDict(
    "_SkewSummarySmileByExpiryValueItemRequired",
    {
        "strike": "float",
        "iv": "float",
        "type": "Literal['C', 'P']",
        "moneyness": "float",
    },
)


class SkewSummarySmileByExpiryValueItem(_SkewSummarySmileByExpiryValueItemRequired):
    pass


_SkewSummaryTermStructureItemRequired = TypedDict(
    "_SkewSummaryTermStructureItemRequired",
    {
        "expiryMs": "int",
        "expiryLabel": "str",
        "dteDays": "float",
        "atmIv": "float",
    },
)


_SkewSummaryTermStructureItemOptional = TypedDict(
    "_SkewSummaryTermStructureItemOptional",
    {
        "rr25": "float",
        "bf25": "float",
    },
    total=False,
)


class SkewSummaryTermStructureItem(_SkewSummaryTermStructureItemRequired, _SkewSummaryTermStructureItemOptional):
    pass


_SkewSummaryRequired = TypedDict(
    "_SkewSummaryRequired",
    {
        "underlying": "Literal['BTC', 'ETH', 'SOL', 'XRP']",
        "smileByExpiry": "dict[str, list[SkewSummarySmileByExpiryValueItem]]",
        "termStructure": "list[SkewSummaryTermStructureItem]",
        "fetchedAt": "int",
    },
)


class SkewSummary(_SkewSummaryRequired):
    """Implied volatility by strike and expiry."""


_EtfFlowsSnapRowsItemRequired = TypedDict(
    "_EtfFlowsSnapRowsItemRequired",
    {
        "dateLabel": "str",
        "dateMs": "int",
        "values": "dict[str, float]",
        "total": "float",
    },
)


_EtfFlowsSnapRowsItemOptional = TypedDict(
    "_EtfFlowsSnapRowsItemOptional",
    {
        "partial": "bool",
    },
    total=False,
)


class EtfFlowsSnapRowsItem(_EtfFlowsSnapRowsItemRequired, _EtfFlowsSnapRowsItemOptional):
    pass


_EtfFlowsSnapRequired = TypedDict(
    "_EtfFlowsSnapRequired",
    {
        "asset": "Literal['bitcoin', 'ethereum']",
        "tickers": "list[str]",
        "rows": "list[EtfFlowsSnapRowsItem]",
        "latestTotalUsdm": "float",
        "cumulativeUsdm": "float",
        "fetchedAt": "int",
    },
)


_EtfFlowsSnapOptional = TypedDict(
    "_EtfFlowsSnapOptional",
    {
        "latestDateMs": "int",
        "cumulativeFromMs": "int",
        "refusedDays": "list[str]",
    },
    total=False,
)


class EtfFlowsSnap(_EtfFlowsSnapRequired, _EtfFlowsSnapOptional):
    """Net flows of the spot ETFs of an asset on the trading days of the last 30 calendar days."""


_TreasurySnapCompaniesItemRequired = TypedDict(
    "_TreasurySnapCompaniesItemRequired",
    {
        "name": "str",
        "symbol": "str",
        "country": "str",
        "totalHoldings": "float",
        "totalEntryValueUsd": "float",
        "totalCurrentValueUsd": "float",
        "percentageOfTotalSupply": "float",
    },
)


class TreasurySnapCompaniesItem(_TreasurySnapCompaniesItemRequired):
    pass


_TreasurySnapRequired = TypedDict(
    "_TreasurySnapRequired",
    {
        "asset": "Literal['bitcoin', 'ethereum']",
        "totalHoldings": "float",
        "totalValueUsd": "float",
        "marketCapDominance": "float",
        "companies": "list[TreasurySnapCompaniesItem]",
        "fetchedAt": "int",
    },
)


class TreasurySnap(_TreasurySnapRequired):
    """What public companies hold of an asset."""


_ValuationSnapRequired = TypedDict(
    "_ValuationSnapRequired",
    {
        "asset": "Literal['bitcoin']",
        "mvrvZScore": "float",
        "nupl": "float",
        "puellMultiple": "float",
        "reserveRisk": "float",
        "realizedCap": "float",
        "asOfDate": "str",
        "fetchedAt": "int",
    },
)


_ValuationSnapOptional = TypedDict(
    "_ValuationSnapOptional",
    {
        "asOfByMetric": "dict[str, str]",
    },
    total=False,
)


class ValuationSnap(_ValuationSnapRequired, _ValuationSnapOptional):
    """Valuation metrics of bitcoin."""


_SpotTickRequired = TypedDict(
    "_SpotTickRequired",
    {
        "coin": "str",
        "venue": "str",
        "price": "float",
        "bid": "float",
        "ask": "float",
        "volume24h": "float",
        "change24hPct": "float",
        "fetchedAt": "int",
    },
)


_SpotTickOptional = TypedDict(
    "_SpotTickOptional",
    {
        "quote": "str",
        "rawPrice": "float",
        "stale": "bool",
    },
    total=False,
)


class SpotTick(_SpotTickRequired, _SpotTickOptional):
    """The spot price of a coin on one venue. Prices quoted in USDT are converted to USD."""


_VenueSpreadSnapRowsItemRequired = TypedDict(
    "_VenueSpreadSnapRowsItemRequired",
    {
        "venue": "str",
        "priceUsd": "float",
        "basisBps": "float",
        "bid": "float",
        "ask": "float",
        "volume24h": "float",
        "change24hPct": "float",
        "stale": "bool",
        "fetchedAt": "int",
    },
)


_VenueSpreadSnapRowsItemOptional = TypedDict(
    "_VenueSpreadSnapRowsItemOptional",
    {
        "quote": "str",
        "rawPrice": "float",
        "asOf": "int",
        "skewMs": "int",
        "skewed": "bool",
        "estimated": "list[Literal['bid', 'ask', 'change24hPct', 'volume24h']]",
    },
    total=False,
)


class VenueSpreadSnapRowsItem(_VenueSpreadSnapRowsItemRequired, _VenueSpreadSnapRowsItemOptional):
    pass


_VenueSpreadSnapRequired = TypedDict(
    "_VenueSpreadSnapRequired",
    {
        "coin": "str",
        "globalMedianUsd": "float",
        "rows": "list[VenueSpreadSnapRowsItem]",
        "strongestPremiumVenue": "str",
        "strongestDiscountVenue": "str",
        "fetchedAt": "int",
    },
)


_VenueSpreadSnapOptional = TypedDict(
    "_VenueSpreadSnapOptional",
    {
        "freshVenues": "int",
        "skewMs": "int",
        "dispersionBps": "float",
        "usdtUsd": "float",
        "usdtUsdAgeMs": "int",
    },
    total=False,
)


class VenueSpreadSnap(_VenueSpreadSnapRequired, _VenueSpreadSnapOptional):
    """How far the spot venues are apart."""


_KimchiPremiumSnapRequired = TypedDict(
    "_KimchiPremiumSnapRequired",
    {
        "coin": "str",
        "region": "str",
        "localVenue": "str",
        "localPair": "str",
        "localPriceKrw": "float",
        "usdKrw": "float",
        "localPriceUsd": "float",
        "globalMedianUsd": "float",
        "premiumPct": "float",
        "premiumBps": "float",
        "bidAskPressure": "Union[float, None]",
        "interpretation": "Literal['premium', 'discount', 'neutral']",
        "fetchedAt": "int",
    },
)


_KimchiPremiumSnapOptional = TypedDict(
    "_KimchiPremiumSnapOptional",
    {
        "premiumBpsUsdt": "float",
        "usdKrwSource": "str",
        "usdKrwAsOf": "int",
        "usdKrwStale": "bool",
        "usdtKrw": "float",
        "skewMs": "int",
        "skewed": "bool",
    },
    total=False,
)


class KimchiPremiumSnap(_KimchiPremiumSnapRequired, _KimchiPremiumSnapOptional):
    """What a coin costs in Korea against the world."""


_EtfFlowProxySnapDailyRequired = TypedDict(
    "_EtfFlowProxySnapDailyRequired",
    {
        "latestTotalUsdm": "float",
        "cumulativeUsdm": "float",
        "latestDateMs": "int",
        "source": "str",
    },
)


_EtfFlowProxySnapDailyOptional = TypedDict(
    "_EtfFlowProxySnapDailyOptional",
    {
        "cumulativeFromMs": "int",
        "deviations": "float",
        "refusedDays": "list[str]",
    },
    total=False,
)


class EtfFlowProxySnapDaily(_EtfFlowProxySnapDailyRequired, _EtfFlowProxySnapDailyOptional):
    pass


_EtfFlowProxySnapSpotProxyRequired = TypedDict(
    "_EtfFlowProxySnapSpotProxyRequired",
    {
        "proxyPremiumBps": "float",
        "proxyVolumeShare": "float",
        "proxyTapeDeltaUsd5m": "float",
        "proxyNetTradeUsd5m": "float",
        "confidence": "Literal['low', 'medium', 'high']",
        "label": "str",
    },
)


_EtfFlowProxySnapSpotProxyOptional = TypedDict(
    "_EtfFlowProxySnapSpotProxyOptional",
    {
        "skewMs": "int",
        "skewed": "bool",
        "tapeComplete": "bool",
        "sinceTs": "int",
    },
    total=False,
)


class EtfFlowProxySnapSpotProxy(_EtfFlowProxySnapSpotProxyRequired, _EtfFlowProxySnapSpotProxyOptional):
    """The pressure on the proxy venue."""


_EtfFlowProxySnapRequired = TypedDict(
    "_EtfFlowProxySnapRequired",
    {
        "asset": "Literal['bitcoin', 'ethereum']",
        "daily": "Union[EtfFlowProxySnapDaily, None]",
        "spotProxy": "EtfFlowProxySnapSpotProxy",
        "fetchedAt": "int",
    },
)


class EtfFlowProxySnap(_EtfFlowProxySnapRequired):
    """Daily ETF flows beside the pressure on the spot venue that ETF custodians use."""


_FlowSignalRequired = TypedDict(
    "_FlowSignalRequired",
    {
        "id": "str",
        "coin": "str",
        "layer": "Literal['venue', 'regional', 'etf', 'micro', 'composite']",
        "severity": "Literal['info', 'warm', 'hot']",
        "title": "str",
        "message": "str",
        "confidence": "Literal['low', 'medium', 'high']",
        "ts": "int",
    },
)


_FlowSignalOptional = TypedDict(
    "_FlowSignalOptional",
    {
        "current": "Union[float, None]",
        "peak": "float",
        "unit": "Literal['bps', 'σ', 'points']",
    },
    total=False,
)


class FlowSignal(_FlowSignalRequired, _FlowSignalOptional):
    """A condition of the flows that is worth a look."""


_FlowCoverageRequired = TypedDict(
    "_FlowCoverageRequired",
    {
        "globalSpot": "Literal['full', 'partial', 'none']",
        "kimchi": "Literal['live', 'stale', 'none']",
        "etfProxy": "Literal['live', 'stale', 'none']",
        "primaryMicro": "Literal['live', 'stale', 'none']",
    },
)


class FlowCoverage(_FlowCoverageRequired):
    """Which parts a figure is made from."""


_FlowSummarySnapRowsItemComponentsItemRequired = TypedDict(
    "_FlowSummarySnapRowsItemComponentsItemRequired",
    {
        "part": "str",
        "x": "float",
        "scale": "float",
        "weight": "float",
        "contribution": "float",
    },
)


class FlowSummarySnapRowsItemComponentsItem(_FlowSummarySnapRowsItemComponentsItemRequired):
    pass


_FlowSummarySnapRowsItemRequired = TypedDict(
    "_FlowSummarySnapRowsItemRequired",
    {
        "coin": "str",
        "coverage": "FlowCoverage",
        "flowPressureScore": "float",
        "headline": "str",
    },
)


_FlowSummarySnapRowsItemOptional = TypedDict(
    "_FlowSummarySnapRowsItemOptional",
    {
        "components": "list[FlowSummarySnapRowsItemComponentsItem]",
    },
    total=False,
)


class FlowSummarySnapRowsItem(_FlowSummarySnapRowsItemRequired, _FlowSummarySnapRowsItemOptional):
    pass


_FlowSummarySnapRequired = TypedDict(
    "_FlowSummarySnapRequired",
    {
        "coins": "list[str]",
        "rows": "list[FlowSummarySnapRowsItem]",
        "signals": "list[FlowSignal]",
        "fetchedAt": "int",
    },
)


class FlowSummarySnap(_FlowSummarySnapRequired):
    """The flows of several coins at a glance."""


_FlowHistorySeriesPointsItemRequired = TypedDict(
    "_FlowHistorySeriesPointsItemRequired",
    {
        "t": "int",
        "v": "float",
        "partial": "bool",
        "stale": "bool",
        "source": "str",
        "sources": "list[SourceEntry]",
        "coverage": "FlowCoverage",
    },
)


class FlowHistorySeriesPointsItem(_FlowHistorySeriesPointsItemRequired):
    pass


_FlowHistorySeriesRequired = TypedDict(
    "_FlowHistorySeriesRequired",
    {
        "coin": "str",
        "metric": "Literal['flowPressureScore', 'proxyPremiumBps', 'kimchiPremiumBps', 'etfLatestTotalUsdm', 'proxyTapeDeltaUsd5m', 'primaryMicroNetUsd5m', 'venueSpreadDispersionBps', 'sourcePartial']",
        "interval": "Literal['1m']",
        "points": "list[FlowHistorySeriesPointsItem]",
        "retention": "str",
        "enabled": "bool",
        "fetchedAt": "int",
    },
)


class FlowHistorySeries(_FlowHistorySeriesRequired):
    """A flow metric by the minute."""


_CvdSeriesPointsItemPerpRequired = TypedDict(
    "_CvdSeriesPointsItemPerpRequired",
    {
        "deltaCoins": "float",
        "deltaUsd": "float",
        "cvdCoins": "float",
        "cvdUsd": "float",
    },
)


class CvdSeriesPointsItemPerp(_CvdSeriesPointsItemPerpRequired):
    """All perpetuals."""


_CvdSeriesPointsItemSpotRequired = TypedDict(
    "_CvdSeriesPointsItemSpotRequired",
    {
        "deltaCoins": "float",
        "deltaUsd": "float",
        "cvdCoins": "float",
        "cvdUsd": "float",
    },
)


class CvdSeriesPointsItemSpot(_CvdSeriesPointsItemSpotRequired):
    """All spot markets."""


_CvdSeriesPointsItemAllRequired = TypedDict(
    "_CvdSeriesPointsItemAllRequired",
    {
        "deltaCoins": "float",
        "deltaUsd": "float",
        "cvdCoins": "float",
        "cvdUsd": "float",
    },
)


class CvdSeriesPointsItemAll(_CvdSeriesPointsItemAllRequired):
    """All markets."""


_CvdSeriesPointsItemRequired = TypedDict(
    "_CvdSeriesPointsItemRequired",
    {
        "ts": "int",
        "complete": "bool",
        "markets": "dict[str, list[float]]",
        "perp": "CvdSeriesPointsItemPerp",
        "spot": "CvdSeriesPointsItemSpot",
        "all": "CvdSeriesPointsItemAll",
    },
)


class CvdSeriesPointsItem(_CvdSeriesPointsItemRequired):
    pass


_CvdSeriesRequired = TypedDict(
    "_CvdSeriesRequired",
    {
        "coin": "str",
        "interval": "Literal['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '1w']",
        "start": "int",
        "points": "list[CvdSeriesPointsItem]",
    },
)


class CvdSeries(_CvdSeriesRequired):
    """Cumulative volume delta of a coin over its recorded markets."""


_FlowExplanationFormulasItemRequired = TypedDict(
    "_FlowExplanationFormulasItemRequired",
    {
        "field": "str",
        "formula": "str",
    },
)


class FlowExplanationFormulasItem(_FlowExplanationFormulasItemRequired):
    pass


_FlowExplanationInputsItemRequired = TypedDict(
    "_FlowExplanationInputsItemRequired",
    {
        "coin": "str",
        "name": "str",
        "value": "float",
        "unit": "str",
        "source": "str",
        "ts": "int",
    },
)


class FlowExplanationInputsItem(_FlowExplanationInputsItemRequired):
    pass


_FlowExplanationLeftOutItemRequired = TypedDict(
    "_FlowExplanationLeftOutItemRequired",
    {
        "coin": "str",
        "what": "str",
        "why": "str",
    },
)


class FlowExplanationLeftOutItem(_FlowExplanationLeftOutItemRequired):
    pass


_FlowExplanationRequired = TypedDict(
    "_FlowExplanationRequired",
    {
        "formulas": "list[FlowExplanationFormulasItem]",
        "inputs": "list[FlowExplanationInputsItem]",
        "leftOut": "list[FlowExplanationLeftOutItem]",
    },
)


class FlowExplanation(_FlowExplanationRequired):
    """How the figures of an answer were made."""


_VenueCatalogEntryCapabilitiesRequired = TypedDict(
    "_VenueCatalogEntryCapabilitiesRequired",
    {
        "oi": "bool",
        "funding": "bool",
        "spot": "bool",
        "liquidations": "bool",
        "options": "bool",
        "predictions": "bool",
    },
)


class VenueCatalogEntryCapabilities(_VenueCatalogEntryCapabilitiesRequired):
    """What it supplies."""


_VenueCatalogEntryRequired = TypedDict(
    "_VenueCatalogEntryRequired",
    {
        "id": "str",
        "name": "str",
        "kind": "Literal['cex', 'dex', 'options', 'prediction', 'tradfi']",
        "status": "Literal['live', 'planned']",
        "capabilities": "VenueCatalogEntryCapabilities",
        "dataSource": "str",
    },
)


class VenueCatalogEntry(_VenueCatalogEntryRequired):
    """A venue and what it supplies."""


_MarketInfoRequired = TypedDict(
    "_MarketInfoRequired",
    {
        "exchange": "str",
        "symbol": "str",
        "coin": "Union[str, None]",
        "kind": "Literal['perp', 'spot', 'option', 'prediction']",
        "label": "str",
    },
)


class MarketInfo(_MarketInfoRequired):
    """A market of a venue."""


_MarketsResponseRequired = TypedDict(
    "_MarketsResponseRequired",
    {
        "venues": "list[VenueCatalogEntry]",
    },
)


_MarketsResponseOptional = TypedDict(
    "_MarketsResponseOptional",
    {
        "exchange": "str",
        "markets": "list[MarketInfo]",
        "page": "int",
        "pageSize": "int",
        "total": "int",
    },
    total=False,
)


class MarketsResponse(_MarketsResponseRequired, _MarketsResponseOptional):
    """The catalog of venues and, with `exchange`, a page of the markets of one."""


_PointsRowRequired = TypedDict(
    "_PointsRowRequired",
    {
        "type": "str",
        "coin": "str",
        "exchange": "str",
        "value": "float",
        "unit": "Literal['USD', 'RATE_8H']",
        "byExchange": "dict[str, float]",
        "fetchedAt": "int",
    },
)


_PointsRowOptional = TypedDict(
    "_PointsRowOptional",
    {
        "mean": "float",
        "count": "int",
        "staleExchanges": "list[str]",
    },
    total=False,
)


class PointsRow(_PointsRowRequired, _PointsRowOptional):
    """One value, of one venue or folded over several."""


_PointsResponseRequired = TypedDict(
    "_PointsResponseRequired",
    {
        "type": "str",
        "exchanges": "list[str]",
        "groupBy": "Literal['GROUP_BY_TYPE_NONE', 'GROUP_BY_TYPE_SUM']",
        "rows": "list[PointsRow]",
    },
)


class PointsResponse(_PointsResponseRequired):
    """The answer of the generic aggregation."""


_PredictionEventOutcomesItemRequired = TypedDict(
    "_PredictionEventOutcomesItemRequired",
    {
        "name": "str",
        "tokenId": "str",
        "price": "float",
    },
)


class PredictionEventOutcomesItem(_PredictionEventOutcomesItemRequired):
    pass


_PredictionEventRequired = TypedDict(
    "_PredictionEventRequired",
    {
        "id": "str",
        "slug": "str",
        "title": "str",
        "question": "str",
        "outcomes": "list[PredictionEventOutcomesItem]",
        "liquidityUsd": "float",
        "volume24hUsd": "float",
        "endMs": "int",
        "hoursToClose": "float",
        "score": "float",
        "url": "str",
        "eventId": "str",
        "coin": "Union[str, None]",
    },
)


class PredictionEvent(_PredictionEventRequired):
    """An active binary market of the prediction venue."""


_PredictionBookDepthRequired = TypedDict(
    "_PredictionBookDepthRequired",
    {
        "bidUsd": "float",
        "askUsd": "float",
    },
)


class PredictionBookDepth(_PredictionBookDepthRequired):
    """How much stands in the book."""


_PredictionBookRequired = TypedDict(
    "_PredictionBookRequired",
    {
        "tokenId": "str",
        "bids": "list[list[float]]",
        "asks": "list[list[float]]",
        "bestBid": "Union[float, None]",
        "bestAsk": "Union[float, None]",
        "spread": "Union[float, None]",
        "mid": "Union[float, None]",
        "depth": "PredictionBookDepth",
        "ts": "int",
        "eventPrice": "Union[float, None]",
        "stuck": "Union[bool, None]",
    },
)


class PredictionBook(_PredictionBookRequired):
    """The whole order book of one outcome."""


_QuestionPriceSeriesPointsItemRequired = TypedDict(
    "_QuestionPriceSeriesPointsItemRequired",
    {
        "t": "int",
        "price": "float",
    },
)


class QuestionPriceSeriesPointsItem(_QuestionPriceSeriesPointsItemRequired):
    pass


_QuestionPriceSeriesRequired = TypedDict(
    "_QuestionPriceSeriesRequired",
    {
        "id": "str",
        "points": "list[QuestionPriceSeriesPointsItem]",
        "cadenceMs": "float",
        "retention": "str",
        "enabled": "bool",
        "fetchedAt": "int",
    },
)


class QuestionPriceSeries(_QuestionPriceSeriesRequired):
    """Recorded prices of a question. A missing sample is missing, never repeated."""


_RotationBuildRequired = TypedDict(
    "_RotationBuildRequired",
    {
        "jobId": "str",
        "cacheKey": "str",
        "cached": "bool",
        "degraded": "bool",
    },
)


class RotationBuild(_RotationBuildRequired):
    """A build that was submitted."""


_RotationStatsGapsItemRequired = TypedDict(
    "_RotationStatsGapsItemRequired",
    {
        "from": "int",
        "to": "int",
        "reason": "str",
    },
)


class RotationStatsGapsItem(_RotationStatsGapsItemRequired):
    pass


_RotationStatsMergedMembersItemCursorRequired = TypedDict(
    "_RotationStatsMergedMembersItemCursorRequired",
    {
        "ts": "int",
        "count": "int",
    },
)


class RotationStatsMergedMembersItemCursor(_RotationStatsMergedMembersItemCursorRequired):
    pass


_RotationStatsMergedMembersItemRequired = TypedDict(
    "_RotationStatsMergedMembersItemRequired",
    {
        "market": "str",
        "trades": "int",
        "cursor": "Union[RotationStatsMergedMembersItemCursor, None]",
    },
)


class RotationStatsMergedMembersItem(_RotationStatsMergedMembersItemRequired):
    pass


_RotationStatsMergedRequired = TypedDict(
    "_RotationStatsMergedRequired",
    {
        "reference": "str",
        "price": "float",
        "members": "list[RotationStatsMergedMembersItem]",
    },
)


class RotationStatsMerged(_RotationStatsMergedRequired):
    """Of a build over several markets: what it was merged from."""


_RotationStatsRequired = TypedDict(
    "_RotationStatsRequired",
    {
        "trades": "int",
        "bars": "int",
        "firstTs": "Union[int, None]",
        "lastTs": "Union[int, None]",
        "gaps": "list[RotationStatsGapsItem]",
        "degraded": "bool",
        "tick": "float",
        "buildMs": "float",
    },
)


_RotationStatsOptional = TypedDict(
    "_RotationStatsOptional",
    {
        "market": "str",
        "merged": "RotationStatsMerged",
    },
    total=False,
)


class RotationStats(_RotationStatsRequired, _RotationStatsOptional):
    """What a build was made from."""


_RotationJobRequired = TypedDict(
    "_RotationJobRequired",
    {
        "status": "Literal['queued', 'running', 'done', 'error']",
        "pct": "float",
        "trades": "int",
        "totalTrades": "int",
        "bars": "int",
    },
)


_RotationJobOptional = TypedDict(
    "_RotationJobOptional",
    {
        "resultKey": "str",
        "error": "str",
        "stats": "RotationStats",
        "submittedAt": "int",
    },
    total=False,
)


class RotationJob(_RotationJobRequired, _RotationJobOptional):
    """A build under way."""


_BarRequired = TypedDict(
    "_BarRequired",
    {
        "index": "int",
        "openTs": "int",
        "closeTs": "int",
        "open": "float",
        "high": "float",
        "low": "float",
        "close": "float",
        "volume": "float",
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
        "delta": "float",
        "minDelta": "float",
        "maxDelta": "float",
        "direction": "int",
        "complete": "bool",
    },
)


class Bar(_BarRequired):
    """A bar. Kinds may add numbers of their own, such as `boxes` of a point-and-figure column."""


_PackedResultRequired = TypedDict(
    "_PackedResultRequired",
    {
        "encoding": "Literal['base64']",
        "pack": "str",
    },
)


class PackedResult(_PackedResultRequired):
    """A result pack within JSON."""


_RotationResultRequired = TypedDict(
    "_RotationResultRequired",
    {
        "coin": "str",
        "kind": "str",
        "params": "dict[str, Union[float, str]]",
        "tick": "float",
        "bars": "list[Bar]",
        "open": "Union[Bar, None]",
        "state": "str",
        "stats": "RotationStats",
    },
)


class RotationResult(_RotationResultRequired):
    """A finished build."""


_RecordedMarketUnitRequired = TypedDict(
    "_RecordedMarketUnitRequired",
    {
        "contractSize": "float",
        "scale": "float",
    },
)


class RecordedMarketUnit(_RecordedMarketUnitRequired):
    """How packed chunks count: size × contractSize ÷ scale, price × scale."""


_RecordedMarketRequired = TypedDict(
    "_RecordedMarketRequired",
    {
        "market": "str",
        "venue": "str",
        "kind": "Literal['perp', 'spot']",
        "symbol": "str",
        "coin": "str",
        "quote": "str",
        "usdRate": "Union[float, None]",
        "unit": "RecordedMarketUnit",
        "tick": "Union[float, None]",
        "recordingSince": "Union[int, None]",
        "firstTs": "Union[int, None]",
        "lastTs": "Union[int, None]",
        "trades24h": "int",
        "completeness24h": "float",
        "counted": "bool",
    },
)


_RecordedMarketOptional = TypedDict(
    "_RecordedMarketOptional",
    {
        "sinceTs": "int",
    },
    total=False,
)


class RecordedMarket(_RecordedMarketRequired, _RecordedMarketOptional):
    """A market whose trades are recorded."""


_LakeDayFilesItemRequired = TypedDict(
    "_LakeDayFilesItemRequired",
    {
        "table": "str",
        "path": "str",
        "rows": "int",
        "bytes": "int",
    },
)


class LakeDayFilesItem(_LakeDayFilesItemRequired):
    pass


_LakeDayRequired = TypedDict(
    "_LakeDayRequired",
    {
        "date": "str",
        "market": "str",
        "coin": "str",
        "trades": "int",
        "bytes": "int",
        "complete": "bool",
        "archived": "bool",
        "files": "list[LakeDayFilesItem]",
    },
)


class LakeDay(_LakeDayRequired):
    """The files of a UTC day of a market."""


_CandleRequired = TypedDict(
    "_CandleRequired",
    {
        "ts": "int",
        "open": "float",
        "high": "float",
        "low": "float",
        "close": "float",
        "volume": "float",
        "liqLongUsd": "float",
        "liqShortUsd": "float",
        "complete": "Union[bool, None]",
        "origin": "Literal['tape', 'venue']",
    },
)


_CandleOptional = TypedDict(
    "_CandleOptional",
    {
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
        "buyTrades": "int",
        "byMarket": "dict[str, list[float]]",
    },
    total=False,
)


class Candle(_CandleRequired, _CandleOptional):
    """The trades of a market in one interval. Intervals without a trade have no candle."""


_RawTradeRequired = TypedDict(
    "_RawTradeRequired",
    {
        "ts": "int",
        "price": "float",
        "size": "float",
        "side": "Literal['buy', 'sell']",
        "tid": "int",
    },
)


_RawTradeOptional = TypedDict(
    "_RawTradeOptional",
    {
        "venueTs": "int",
        "recvMs": "Union[int, None]",
    },
    total=False,
)


class RawTrade(_RawTradeRequired, _RawTradeOptional):
    """A recorded trade of the primary venue. Price and size read exactly as the venue wrote them."""


_TradeChunkRequired = TypedDict(
    "_TradeChunkRequired",
    {
        "startTs": "int",
        "endTs": "int",
        "trades": "int",
        "bytes": "int",
        "data": "str",
    },
)


_TradeChunkOptional = TypedDict(
    "_TradeChunkOptional",
    {
        "ids": "str",
        "recv": "str",
    },
    total=False,
)


class TradeChunk(_TradeChunkRequired, _TradeChunkOptional):
    """A stretch of the tape as it is stored: one gzip member; docs/formats.md describes its layout."""


_TradePageUnitRequired = TypedDict(
    "_TradePageUnitRequired",
    {
        "contractSize": "float",
        "scale": "float",
        "quote": "str",
    },
)


class TradePageUnit(_TradePageUnitRequired):
    """With `market`, of another venue: the chunks keep its own numbers. Size × contractSize ÷ scale counts coins, price × scale is the price of one. A page ends where the venue changed it."""


_TradePageRequired = TypedDict(
    "_TradePageRequired",
    {
        "coin": "str",
        "version": "int",
        "chunks": "list[TradeChunk]",
    },
)


_TradePageOptional = TypedDict(
    "_TradePageOptional",
    {
        "market": "str",
        "unit": "TradePageUnit",
    },
    total=False,
)


class TradePage(_TradePageRequired, _TradePageOptional):
    """Whole chunks with any trade in the range; the reader leaves out what lies outside."""


_TapeHoleRequired = TypedDict(
    "_TapeHoleRequired",
    {
        "from": "int",
        "to": "int",
        "state": "Literal['missing', 'partial', 'refilled']",
        "reason": "str",
    },
)


_TapeHoleOptional = TypedDict(
    "_TapeHoleOptional",
    {
        "method": "Literal['count', 'socket']",
        "missing": "int",
        "late": "bool",
    },
    total=False,
)


class TapeHole(_TapeHoleRequired, _TapeHoleOptional):
    """An interval without a connected feed."""


_CoverageStretchRequired = TypedDict(
    "_CoverageStretchRequired",
    {
        "from": "int",
        "to": "int",
        "state": "Literal['complete', 'refilled', 'partial', 'missing']",
    },
)


_CoverageStretchOptional = TypedDict(
    "_CoverageStretchOptional",
    {
        "reason": "str",
        "method": "Literal['count', 'socket']",
        "recordedTrades": "int",
        "expectedTrades": "int",
    },
    total=False,
)


class CoverageStretch(_CoverageStretchRequired, _CoverageStretchOptional):
    """A stretch of the tape of one state."""


_AuditHourOursRequired = TypedDict(
    "_AuditHourOursRequired",
    {
        "volume": "float",
    },
)


_AuditHourOursOptional = TypedDict(
    "_AuditHourOursOptional",
    {
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
    },
    total=False,
)


class AuditHourOurs(_AuditHourOursRequired, _AuditHourOursOptional):
    """Recorded; only the volume and what the venue's candles prove."""


_AuditHourVenueRequired = TypedDict(
    "_AuditHourVenueRequired",
    {
        "volume": "float",
    },
)


_AuditHourVenueOptional = TypedDict(
    "_AuditHourVenueOptional",
    {
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
    },
    total=False,
)


class AuditHourVenue(_AuditHourVenueRequired, _AuditHourVenueOptional):
    """Of the venue; absent while unavailable."""


_AuditHourMinutesItemOursRequired = TypedDict(
    "_AuditHourMinutesItemOursRequired",
    {
        "volume": "float",
    },
)


_AuditHourMinutesItemOursOptional = TypedDict(
    "_AuditHourMinutesItemOursOptional",
    {
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
    },
    total=False,
)


class AuditHourMinutesItemOurs(_AuditHourMinutesItemOursRequired, _AuditHourMinutesItemOursOptional):
    """Absent where nothing is recorded."""


_AuditHourMinutesItemVenueRequired = TypedDict(
    "_AuditHourMinutesItemVenueRequired",
    {
        "volume": "float",
    },
)


_AuditHourMinutesItemVenueOptional = TypedDict(
    "_AuditHourMinutesItemVenueOptional",
    {
        "buyVolume": "float",
        "notionalUsd": "float",
        "trades": "int",
    },
    total=False,
)


class AuditHourMinutesItemVenue(_AuditHourMinutesItemVenueRequired, _AuditHourMinutesItemVenueOptional):
    """Absent where the venue has no trade."""


_AuditHourMinutesItemRequired = TypedDict(
    "_AuditHourMinutesItemRequired",
    {
        "ts": "int",
        "figures": "list[Literal['prices', 'volume', 'buyVolume', 'notional', 'trades']]",
        "isReported": "bool",
    },
)


_AuditHourMinutesItemOptional = TypedDict(
    "_AuditHourMinutesItemOptional",
    {
        "ours": "AuditHourMinutesItemOurs",
        "venue": "AuditHourMinutesItemVenue",
    },
    total=False,
)


class AuditHourMinutesItem(_AuditHourMinutesItemRequired, _AuditHourMinutesItemOptional):
    pass


_AuditHourRefillRequired = TypedDict(
    "_AuditHourRefillRequired",
    {
        "trades": "int",
        "isRepaired": "bool",
    },
)


_AuditHourRefillOptional = TypedDict(
    "_AuditHourRefillOptional",
    {
        "reason": "str",
    },
    total=False,
)


class AuditHourRefill(_AuditHourRefillRequired, _AuditHourRefillOptional):
    """Of an hour that differs or has a reported gap, on a market whose trades are numbered: the minutes were requested from the venue again."""


_AuditHourRequired = TypedDict(
    "_AuditHourRequired",
    {
        "market": "str",
        "hour": "int",
        "verdict": "Literal['equal', 'within', 'differs', 'incomplete', 'unavailable']",
        "ours": "AuditHourOurs",
    },
)


_AuditHourOptional = TypedDict(
    "_AuditHourOptional",
    {
        "venue": "AuditHourVenue",
        "diffPct": "float",
        "minutes": "list[AuditHourMinutesItem]",
        "reason": "str",
        "refill": "AuditHourRefill",
    },
    total=False,
)


class AuditHour(_AuditHourRequired, _AuditHourOptional):
    """A recorded hour of a market against the venue's own candles of it."""


_AuditSummaryDaysItemRequired = TypedDict(
    "_AuditSummaryDaysItemRequired",
    {
        "venue": "str",
        "day": "int",
        "equal": "int",
        "within": "int",
        "differs": "int",
        "incomplete": "int",
        "unavailable": "int",
    },
)


class AuditSummaryDaysItem(_AuditSummaryDaysItemRequired):
    pass


_AuditSummaryWorstItemRequired = TypedDict(
    "_AuditSummaryWorstItemRequired",
    {
        "market": "str",
        "hour": "int",
        "verdict": "Literal['equal', 'within', 'differs', 'incomplete', 'unavailable']",
    },
)


_AuditSummaryWorstItemOptional = TypedDict(
    "_AuditSummaryWorstItemOptional",
    {
        "diffPct": "float",
    },
    total=False,
)


class AuditSummaryWorstItem(_AuditSummaryWorstItemRequired, _AuditSummaryWorstItemOptional):
    pass


_AuditSummaryRequired = TypedDict(
    "_AuditSummaryRequired",
    {
        "days": "list[AuditSummaryDaysItem]",
        "worst": "list[AuditSummaryWorstItem]",
    },
)


_AuditSummaryOptional = TypedDict(
    "_AuditSummaryOptional",
    {
        "nextAt": "int",
    },
    total=False,
)


class AuditSummary(_AuditSummaryRequired, _AuditSummaryOptional):
    """How many recorded hours are the same as the venues have them, by venue and day."""


_AuditDayMarketHoursItemRequired = TypedDict(
    "_AuditDayMarketHoursItemRequired",
    {
        "hour": "int",
        "verdict": "Literal['equal', 'within', 'differs', 'incomplete', 'unavailable']",
    },
)


_AuditDayMarketHoursItemOptional = TypedDict(
    "_AuditDayMarketHoursItemOptional",
    {
        "diffPct": "float",
    },
    total=False,
)


class AuditDayMarketHoursItem(_AuditDayMarketHoursItemRequired, _AuditDayMarketHoursItemOptional):
    pass


_AuditDayMarketRequired = TypedDict(
    "_AuditDayMarketRequired",
    {
        "market": "str",
        "hours": "list[AuditDayMarketHoursItem]",
    },
)


class AuditDayMarket(_AuditDayMarketRequired):
    """The verdicts of a market on one day."""


_FillsReconciliationTotalRequired = TypedDict(
    "_FillsReconciliationTotalRequired",
    {
        "chain": "int",
        "tape": "int",
        "matched": "int",
        "missing": "int",
        "missingReported": "int",
        "extra": "int",
        "different": "int",
    },
)


class FillsReconciliationTotal(_FillsReconciliationTotalRequired):
    """All coins together."""


_FillsReconciliationCoinsItemRequired = TypedDict(
    "_FillsReconciliationCoinsItemRequired",
    {
        "coin": "str",
        "chain": "int",
        "tape": "int",
        "matched": "int",
        "missing": "int",
        "missingReported": "int",
        "extra": "int",
        "different": "int",
    },
)


class FillsReconciliationCoinsItem(_FillsReconciliationCoinsItemRequired):
    pass


_FillsReconciliationMissingItemTapeRequired = TypedDict(
    "_FillsReconciliationMissingItemTapeRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationMissingItemTape(_FillsReconciliationMissingItemTapeRequired):
    """Of a different trade: what the tape has."""


_FillsReconciliationMissingItemChainRequired = TypedDict(
    "_FillsReconciliationMissingItemChainRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationMissingItemChain(_FillsReconciliationMissingItemChainRequired):
    """Of a different trade: what the chain has."""


_FillsReconciliationMissingItemRequired = TypedDict(
    "_FillsReconciliationMissingItemRequired",
    {
        "coin": "str",
        "ts": "int",
        "tid": "int",
    },
)


_FillsReconciliationMissingItemOptional = TypedDict(
    "_FillsReconciliationMissingItemOptional",
    {
        "isReported": "bool",
        "tape": "FillsReconciliationMissingItemTape",
        "chain": "FillsReconciliationMissingItemChain",
    },
    total=False,
)


class FillsReconciliationMissingItem(_FillsReconciliationMissingItemRequired, _FillsReconciliationMissingItemOptional):
    pass


_FillsReconciliationExtraItemTapeRequired = TypedDict(
    "_FillsReconciliationExtraItemTapeRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationExtraItemTape(_FillsReconciliationExtraItemTapeRequired):
    """Of a different trade: what the tape has."""


_FillsReconciliationExtraItemChainRequired = TypedDict(
    "_FillsReconciliationExtraItemChainRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationExtraItemChain(_FillsReconciliationExtraItemChainRequired):
    """Of a different trade: what the chain has."""


_FillsReconciliationExtraItemRequired = TypedDict(
    "_FillsReconciliationExtraItemRequired",
    {
        "coin": "str",
        "ts": "int",
        "tid": "int",
    },
)


_FillsReconciliationExtraItemOptional = TypedDict(
    "_FillsReconciliationExtraItemOptional",
    {
        "isReported": "bool",
        "tape": "FillsReconciliationExtraItemTape",
        "chain": "FillsReconciliationExtraItemChain",
    },
    total=False,
)


class FillsReconciliationExtraItem(_FillsReconciliationExtraItemRequired, _FillsReconciliationExtraItemOptional):
    pass


_FillsReconciliationDifferentItemTapeRequired = TypedDict(
    "_FillsReconciliationDifferentItemTapeRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationDifferentItemTape(_FillsReconciliationDifferentItemTapeRequired):
    """Of a different trade: what the tape has."""


_FillsReconciliationDifferentItemChainRequired = TypedDict(
    "_FillsReconciliationDifferentItemChainRequired",
    {
        "ts": "int",
        "side": "Literal['buy', 'sell']",
        "price": "float",
        "size": "float",
    },
)


class FillsReconciliationDifferentItemChain(_FillsReconciliationDifferentItemChainRequired):
    """Of a different trade: what the chain has."""


_FillsReconciliationDifferentItemRequired = TypedDict(
    "_FillsReconciliationDifferentItemRequired",
    {
        "coin": "str",
        "ts": "int",
        "tid": "int",
    },
)


_FillsReconciliationDifferentItemOptional = TypedDict(
    "_FillsReconciliationDifferentItemOptional",
    {
        "isReported": "bool",
        "tape": "FillsReconciliationDifferentItemTape",
        "chain": "FillsReconciliationDifferentItemChain",
    },
    total=False,
)


class FillsReconciliationDifferentItem(_FillsReconciliationDifferentItemRequired, _FillsReconciliationDifferentItemOptional):
    pass


_FillsReconciliationRequired = TypedDict(
    "_FillsReconciliationRequired",
    {
        "day": "str",
        "comparedAtMs": "int",
        "verdict": "Literal['equal', 'incomplete', 'differs']",
        "hoursMissing": "list[int]",
        "refused": "int",
        "coinsNotRecorded": "int",
        "total": "FillsReconciliationTotal",
    },
)


_FillsReconciliationOptional = TypedDict(
    "_FillsReconciliationOptional",
    {
        "coins": "list[FillsReconciliationCoinsItem]",
        "missing": "list[FillsReconciliationMissingItem]",
        "extra": "list[FillsReconciliationExtraItem]",
        "different": "list[FillsReconciliationDifferentItem]",
    },
    total=False,
)


class FillsReconciliation(_FillsReconciliationRequired, _FillsReconciliationOptional):
    """A recorded day of the primary venue against the fills that the chain publishes."""


_LiquidationScoreDayTotalRequired = TypedDict(
    "_LiquidationScoreDayTotalRequired",
    {
        "inferred": "int",
        "correct": "int",
        "marked": "int",
        "found": "int",
        "unwatched": "int",
        "inferredUsd": "float",
        "markedUsd": "float",
        "precision": "Union[float, None]",
        "recall": "Union[float, None]",
        "notionalErrorPct": "Union[float, None]",
    },
)


class LiquidationScoreDayTotal(_LiquidationScoreDayTotalRequired):
    pass


_LiquidationScoreDayCoinsItemRequired = TypedDict(
    "_LiquidationScoreDayCoinsItemRequired",
    {
        "coin": "str",
        "inferred": "int",
        "correct": "int",
        "marked": "int",
        "found": "int",
        "unwatched": "int",
        "inferredUsd": "float",
        "markedUsd": "float",
        "precision": "Union[float, None]",
        "recall": "Union[float, None]",
        "notionalErrorPct": "Union[float, None]",
    },
)


class LiquidationScoreDayCoinsItem(_LiquidationScoreDayCoinsItemRequired):
    pass


_LiquidationScoreDayRequired = TypedDict(
    "_LiquidationScoreDayRequired",
    {
        "day": "str",
        "comparedAtMs": "int",
        "hoursMissing": "list[int]",
        "total": "Union[LiquidationScoreDayTotal, None]",
    },
)


_LiquidationScoreDayOptional = TypedDict(
    "_LiquidationScoreDayOptional",
    {
        "coins": "list[LiquidationScoreDayCoinsItem]",
    },
    total=False,
)


class LiquidationScoreDay(_LiquidationScoreDayRequired, _LiquidationScoreDayOptional):
    """The inferred liquidations of a day against those that the chain marks."""


_SourceFeedRequired = TypedDict(
    "_SourceFeedRequired",
    {
        "source": "str",
        "gives": "list[str]",
        "status": "Union[Literal['ok', 'stale', 'down', 'blocked', 'limited', 'changed'], None]",
        "error": "Union[str, None]",
        "notes": "list[str]",
        "sinceTs": "int",
        "ageMs": "Union[float, None]",
        "messagesLastMinute": "Union[int, None]",
        "messages": "int",
        "refused": "int",
        "reconnects": "int",
    },
)


class SourceFeed(_SourceFeedRequired):
    """One resource or feed of a source."""


_SourceInfoCreditRequired = TypedDict(
    "_SourceInfoCreditRequired",
    {
        "text": "str",
        "url": "str",
    },
)


class SourceInfoCredit(_SourceInfoCreditRequired):
    """Present where its terms ask to be named; also in `meta.attribution` of answers."""


_SourceInfoRequired = TypedDict(
    "_SourceInfoRequired",
    {
        "id": "str",
        "name": "str",
        "takes": "str",
        "trust": "Literal['documented', 'aggregated', 'undocumented']",
        "attribution": "str",
        "termsUrl": "Union[str, None]",
        "termsNote": "str",
        "status": "Union[Literal['ok', 'stale', 'down', 'blocked', 'limited', 'changed'], None]",
        "gaps24h": "Union[int, None]",
        "notes": "list[str]",
        "feeds": "list[SourceFeed]",
    },
)


_SourceInfoOptional = TypedDict(
    "_SourceInfoOptional",
    {
        "credit": "SourceInfoCredit",
        "sinceTs": "int",
    },
    total=False,
)


class SourceInfo(_SourceInfoRequired, _SourceInfoOptional):
    """A source of served figures: its identity, terms and state."""


_SourceEntryRequired = TypedDict(
    "_SourceEntryRequired",
    {
        "source": "str",
        "status": "Literal['ok', 'stale', 'down', 'blocked', 'limited', 'changed']",
        "ageMs": "Union[float, None]",
        "error": "Union[str, None]",
    },
)


_SourceEntryOptional = TypedDict(
    "_SourceEntryOptional",
    {
        "coins": "list[str]",
    },
    total=False,
)


class SourceEntry(_SourceEntryRequired, _SourceEntryOptional):
    """A source that did not give all it should."""


_FailureMetaRequired = TypedDict(
    "_FailureMetaRequired",
    {
        "fetchedAt": "int",
        "source": "str",
        "code": "Literal['bad_request', 'unauthorized', 'forbidden', 'not_found', 'method_not_allowed', 'too_large', 'rate_limited', 'internal', 'not_implemented', 'overloaded', 'upstream_unavailable']",
    },
)


_FailureMetaOptional = TypedDict(
    "_FailureMetaOptional",
    {
        "id": "str",
        "unknown": "list[str]",
        "sources": "list[SourceEntry]",
        "keyStatus": "Literal['invalid', 'unavailable']",
    },
    total=False,
)


class FailureMeta(_FailureMetaRequired, _FailureMetaOptional):
    """What kind of failure it is, and what else is known of it."""


_FailureRequired = TypedDict(
    "_FailureRequired",
    {
        "error": "str",
        "data": "list[Any]",
        "meta": "FailureMeta",
    },
)


class Failure(_FailureRequired):
    """The body of every failure."""
