# Generated from docs/openapi.json by `npm run generate`. Do not edit.
"""One method for every REST endpoint. Field names of records are those of the service."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union

from ..http import Query
from ..rows import Record, Rows
from ..times import Time, optional_ms
from .records import (
    AuditDayMarket,
    AuditHour,
    AuditSummary,
    BookDepthSeries,
    BookHistorySeries,
    CvdSeries,
    CvdWindows,
    EtfFlowProxySnap,
    EtfFlowsSnap,
    FillsReconciliation,
    FlowHistorySeries,
    FlowSignal,
    FlowSummarySnap,
    FundingHistorySeries,
    FundingSnap,
    GexSummary,
    KimchiPremiumSnap,
    LakeDay,
    LiquidationEvent,
    LiquidationHistory,
    LiquidationScoreDay,
    LiquidationSnap,
    MarketsResponse,
    OiChange,
    OiHistorySeries,
    OiSnap,
    OptionChainRow,
    OptionFlowSummary,
    OptionLevelsSeries,
    OptionTradeRow,
    PerpTicker,
    PointsResponse,
    PositioningHistorySeries,
    PositioningSnap,
    PredictionBook,
    PredictionEvent,
    QuestionPriceSeries,
    RecordedMarket,
    SkewSummary,
    SourceInfo,
    SpotTick,
    TreasurySnap,
    ValuationSnap,
    VenueSpreadSnap,
    VolatilityIndexSeries,
    VolumeSnap,
    WhaleTick,
)


class Endpoints:
    """Methods of the REST interface."""

    def _rows(self, path: str, query: Query) -> Rows[Any]:
        raise NotImplementedError

    def _record(self, path: str, query: Query) -> Record[Any]:
        raise NotImplementedError

    def _document(self, path: str) -> Any:
        raise NotImplementedError

    def open_interest(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        venues: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[OiSnap]:
        """Open interest

        coins: Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`). Omitted: every
            coin that the venue lists, but `BTC,ETH` on `bitget`, `gate` and `mexc`.
        venues: Venue ids, in any case; aliases (`hl`, `bn`) and neutral codes (`venue_a` to
            `venue_g`) are accepted too. Default: hyperliquid.
        """
        query: Query = {"coins": coins, "venues": venues}
        return self._rows("/perps/oi", query)

    def funding(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        venues: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[FundingSnap]:
        """Funding rates

        coins: Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`). Omitted: every
            coin that the venue lists, but `BTC,ETH` on `bitget`, `gate` and `mexc`.
        venues: Venue ids, in any case; aliases (`hl`, `bn`) and neutral codes (`venue_a` to
            `venue_g`) are accepted too. Default: hyperliquid.
        """
        query: Query = {"coins": coins, "venues": venues}
        return self._rows("/perps/funding", query)

    def open_interest_changes(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        venues: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[OiChange]:
        """Changes of open interest

        coins: Tickers, in any case. Omitted: every coin of the primary venue.
        venues: Venue ids or aliases, in any case. Default: hyperliquid.
        """
        query: Query = {"coins": coins, "venues": venues}
        return self._rows("/perps/oi/changes", query)

    def open_interest_history(
        self,
        coin: str,
        *,
        since_ms: Optional[Time] = None,
        interval: Optional[Literal["10m", "1h"]] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
        venue: Optional[Literal["hyperliquid", "bybit", "okx", "binance", "dydx", "kraken"]] = None,
    ) -> Record[OiHistorySeries]:
        """Recorded open interest

        coin: Ticker, in any case.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        interval: With it, `venue`, `end` or `limit`, points are read from the ledger and carry
            `origin`: `10m` (the default then) is kept for 30 days, `1h` for as long as candles are
            (`CANDLE_DAYS`).
        end: Only points of the ledger before it, in milliseconds since the Unix epoch. Omitted: up
            to now.
        limit: Most points of the ledger in one answer: the newest of the range. Omitted: 10000.
        venue: Venue whose open interest is returned from the ledger; `bitget`, `gate` and `mexc`
            report no contracts.
        """
        query: Query = {"coin": coin, "sinceMs": optional_ms(since_ms), "interval": interval, "end": optional_ms(end), "limit": limit, "venue": venue}
        return self._record("/perps/oi/history", query)

    def funding_history(
        self,
        coin: str,
        *,
        since_ms: Optional[Time] = None,
        interval: Optional[Literal["10m", "1h"]] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
        venue: Optional[Literal["hyperliquid", "bybit", "okx", "binance", "bitget", "gate", "mexc", "dydx", "kraken", "all"]] = None,
    ) -> Record[FundingHistorySeries]:
        """Recorded funding rates

        coin: Ticker, in any case.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        interval: With it, `venue`, `end` or `limit`, points are read from the ledger and carry
            `origin`: `10m` (the default then) is kept for 30 days, `1h` for as long as candles are
            (`CANDLE_DAYS`).
        end: Only points of the ledger before it, in milliseconds since the Unix epoch. Omitted: up
            to now.
        limit: Most points of the ledger in one answer: the newest of the range. Omitted: 10000.
        venue: Returns the rates of this venue from the ledger; `all`: of every venue.
        """
        query: Query = {"coin": coin, "sinceMs": optional_ms(since_ms), "interval": interval, "end": optional_ms(end), "limit": limit, "venue": venue}
        return self._record("/perps/funding/history", query)

    def positioning(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        period: Optional[Literal["15m", "1h", "4h"]] = None,
    ) -> Rows[PositioningSnap]:
        """Long/short ratios

        coins: Tickers, in any case, at most 50. Omitted: the 30 with the most open interest on the
            primary venue.
        period: Length of the period that is described. Default: 1h.
        """
        query: Query = {"coins": coins, "period": period}
        return self._rows("/perps/positioning", query)

    def positioning_history(
        self,
        coin: str,
        *,
        venue: Optional[Literal["bybit", "okx", "binance"]] = None,
        view: Optional[Literal["global", "top"]] = None,
        interval: Optional[Literal["1h"]] = None,
        since_ms: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Record[PositioningHistorySeries]:
        """Recorded long/short ratios

        coin: Ticker, in any case.
        venue: Venue whose ratio is returned. Default: binance.
        view: `global`: all accounts; `top`: positions of the largest traders. Default: global.
        interval: Time between two points. Default: 1h.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        end: Only points of the ledger before it, in milliseconds since the Unix epoch. Omitted: up
            to now.
        limit: Most points of the ledger in one answer: the newest of the range. Omitted: 10000.
        """
        query: Query = {"coin": coin, "venue": venue, "view": view, "interval": interval, "sinceMs": optional_ms(since_ms), "end": optional_ms(end), "limit": limit}
        return self._record("/perps/positioning/history", query)

    def whales(
        self,
        *,
        min_usd: Optional[float] = None,
        coin: Optional[str] = None,
        market: Optional[str] = None,
        venues: Optional[Literal["primary", "all"]] = None,
        since_ms: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Rows[WhaleTick]:
        """Large prints

        min_usd: Smallest notional in USD. Default: 100000.
        coin: Ticker, in any case. Omitted, and without `market`: every coin.
        market: Market of any recorded venue instead of `coin`: `binance:BTCUSDT`,
            `coinbase-spot:BTC-USD`. `/markets/recorded` lists them.
        venues: Prints of the primary venue (default), or of every recorded market.
        since_ms: Only prints with `ts` at or after it. Milliseconds since the Unix epoch.
        limit: Most prints to return. Default: 200.
        """
        query: Query = {"minUsd": min_usd, "coin": coin, "market": market, "venues": venues, "sinceMs": optional_ms(since_ms), "limit": limit}
        return self._rows("/perps/whales", query)

    def liquidations(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[LiquidationSnap]:
        """Liquidations of the last 24 hours

        coins: Tickers, in any case. Omitted: every coin with a liquidation in the last 24 hours.
        """
        query: Query = {"coins": coins}
        return self._rows("/perps/liquidations", query)

    def liquidations_events(
        self,
        *,
        coin: Optional[str] = None,
        venue: Optional[Literal["hyperliquid", "bybit", "okx", "binance", "bitget", "gate", "mexc", "dydx", "kraken"]] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Rows[LiquidationEvent]:
        """Liquidation events

        coin: Ticker, in any case. Omitted: every coin.
        venue: Only those of this venue. Omitted: every venue.
        start: Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.
        end: End in milliseconds since the Unix epoch, not included. Omitted: now.
        limit: Most events to return. Default: 500.
        """
        query: Query = {"coin": coin, "venue": venue, "start": optional_ms(start), "end": optional_ms(end), "limit": limit}
        return self._rows("/perps/liquidations/events", query)

    def liquidations_history(
        self,
        *,
        interval: Optional[Literal["1h", "1d"]] = None,
        days: Optional[int] = None,
    ) -> Record[LiquidationHistory]:
        """Liquidations over time

        interval: Length of a point. Default: 1h.
        days: How many days back: hours up to the one in progress, or UTC days including the present
            one. Default: 7.
        """
        query: Query = {"interval": interval, "days": days}
        return self._record("/perps/liquidations/history", query)

    def tickers(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[PerpTicker]:
        """Prices of perpetuals

        coins: Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`). Omitted: every
            coin that the venue lists, but `BTC,ETH` on `bitget`, `gate` and `mexc`.
        """
        query: Query = {"coins": coins}
        return self._rows("/perps/tickers", query)

    def volume(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        venues: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[VolumeSnap]:
        """Volume by venue

        coins: Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`). Omitted: every
            coin that the venue lists, but `BTC,ETH` on `bitget`, `gate` and `mexc`.
        venues: Venue ids, in any case; aliases (`hl`, `bn`) and neutral codes (`venue_a` to
            `venue_g`) are accepted too. Default: hyperliquid.
        """
        query: Query = {"coins": coins, "venues": venues}
        return self._rows("/perps/volume", query)

    def cvd(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[CvdWindows]:
        """Volume delta by coin

        coins: Tickers, in any case. Omitted: every coin of the primary venue.
        """
        query: Query = {"coins": coins}
        return self._rows("/perps/cvd", query)

    def orderbook_history(
        self,
        *,
        coin: Optional[str] = None,
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        interval: Optional[Literal["1m", "10m", "1h"]] = None,
        limit: Optional[int] = None,
    ) -> Record[BookHistorySeries]:
        """Recorded order books

        coin: Ticker, in any case: its market on the primary venue. Required without `market`.
        market: Market of any recorded venue instead of `coin`: `binance:BTCUSDT`,
            `coinbase-spot:BTC-USD`. `/markets/recorded` lists them.
        start: Start in milliseconds since the Unix epoch. Omitted: all that is kept.
        end: End in milliseconds since the Unix epoch, not included. Omitted: now.
        interval: `1m`: every snapshot. `10m`, `1h`: the first one of each interval. Default: 1m.
        limit: Most points of one answer: the newest of the range. Default: 300.
        """
        query: Query = {"coin": coin, "market": market, "start": optional_ms(start), "end": optional_ms(end), "interval": interval, "limit": limit}
        return self._record("/orderbook/history", query)

    def orderbook_depth(
        self,
        *,
        coin: Optional[str] = None,
        market: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        interval: Optional[Literal["1m", "10m", "1h"]] = None,
        limit: Optional[int] = None,
    ) -> Record[BookDepthSeries]:
        """Order book depth over time

        coin: Ticker, in any case: its market on the primary venue. Required without `market`.
        market: Market of any recorded venue instead of `coin`: `binance:BTCUSDT`,
            `coinbase-spot:BTC-USD`. `/markets/recorded` lists them.
        start: Start in milliseconds since the Unix epoch. Omitted: all that is kept.
        end: End in milliseconds since the Unix epoch, not included. Omitted: now.
        interval: `1m`: every snapshot. `10m`, `1h`: the first one of each interval. Default: 1m.
        limit: Most points of one answer: the newest of the range. Default: 1500.
        """
        query: Query = {"coin": coin, "market": market, "start": optional_ms(start), "end": optional_ms(end), "interval": interval, "limit": limit}
        return self._record("/orderbook/depth", query)

    def markets_recorded(
        self,
        *,
        coin: Optional[str] = None,
        venue: Optional[str] = None,
        kind: Optional[Literal["perp", "spot"]] = None,
    ) -> Rows[RecordedMarket]:
        """Recorded markets

        coin: Only markets of this ticker, in any case.
        venue: Only markets of this venue: its id or an alias, in any case; with `-spot` only its
            spot pairs.
        kind: Only perpetuals, or only spot pairs.
        """
        query: Query = {"coin": coin, "venue": venue, "kind": kind}
        return self._rows("/markets/recorded", query)

    def lake_days(
        self,
        *,
        market: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Rows[LakeDay]:
        """Daily Parquet files

        market: Id of the market, in any case. Default: hyperliquid:BTC.
        limit: Most days in one answer. Default: 30.
        """
        query: Query = {"market": market, "limit": limit}
        return self._rows("/lake/days", query)

    def option_chain(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
    ) -> Rows[OptionChainRow]:
        """Option chain

        underlying: The coin that the options are on, in any case.
        """
        query: Query = {"underlying": underlying}
        return self._rows("/options/chain", query)

    def gamma_exposure(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
    ) -> Record[GexSummary]:
        """Dealer gamma exposure

        underlying: The coin that the options are on, in any case.
        """
        query: Query = {"underlying": underlying}
        return self._record("/options/gex", query)

    def option_skew(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
    ) -> Record[SkewSummary]:
        """Implied volatility skew and term structure

        underlying: The coin that the options are on, in any case.
        """
        query: Query = {"underlying": underlying}
        return self._record("/options/skew", query)

    def option_history(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
        *,
        since_ms: Optional[Time] = None,
        interval: Optional[Literal["10m", "1h"]] = None,
    ) -> Record[OptionLevelsSeries]:
        """Recorded option levels

        underlying: The coin that the options are on, in any case.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        interval: `10m`: all samples. `1h`: the first sample of each hour. Default: 10m.
        """
        query: Query = {"underlying": underlying, "sinceMs": optional_ms(since_ms), "interval": interval}
        return self._record("/options/history", query)

    def option_trades(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
        *,
        expiry: Optional[str] = None,
        type: Optional[Literal["C", "P"]] = None,
        side: Optional[Literal["buy", "sell"]] = None,
        blocks: Optional[Literal["only", "none"]] = None,
        min_premium: Optional[float] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Rows[OptionTradeRow]:
        """Trades of options

        underlying: The coin that the options are on, in any case.
        expiry: Only options of this expiry, `DDMMMYY`.
        type: `C`: only calls. `P`: only puts.
        side: Only what takers bought, or sold.
        blocks: `only`: legs of block trades. `none`: everything else. Omitted: all.
        min_premium: Smallest premium in USD.
        start: Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.
        end: End in milliseconds since the Unix epoch, not included. Omitted: now.
        limit: Most trades to return. Default: 500.
        """
        query: Query = {"underlying": underlying, "expiry": expiry, "type": type, "side": side, "blocks": blocks, "minPremium": min_premium, "start": optional_ms(start), "end": optional_ms(end), "limit": limit}
        return self._rows("/options/trades", query)

    def option_flow(
        self,
        underlying: Literal["BTC", "ETH", "SOL", "XRP"],
        *,
        window: Optional[Literal["1h", "4h", "24h", "7d"]] = None,
        blocks: Optional[Literal["only", "none"]] = None,
    ) -> Record[OptionFlowSummary]:
        """Flow of options

        underlying: The coin that the options are on, in any case.
        window: The window up to now. Default: 24h.
        blocks: `only`: legs of block trades. `none`: everything else. Omitted: all.
        """
        query: Query = {"underlying": underlying, "window": window, "blocks": blocks}
        return self._record("/options/flow", query)

    def volatility_index(
        self,
        underlying: Literal["BTC", "ETH"],
        *,
        since_ms: Optional[Time] = None,
    ) -> Record[VolatilityIndexSeries]:
        """The venue's volatility index by day

        underlying: The coin that the options are on, in any case.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        """
        query: Query = {"underlying": underlying, "sinceMs": optional_ms(since_ms)}
        return self._record("/options/volatility-index", query)

    def etf_flows(
        self,
        *,
        asset: Optional[Literal["bitcoin", "ethereum"]] = None,
    ) -> Record[EtfFlowsSnap]:
        """Spot ETF flows

        asset: The asset. Default: bitcoin.
        """
        query: Query = {"asset": asset}
        return self._record("/onchain/etf-flows", query)

    def treasuries(
        self,
        *,
        asset: Optional[Literal["bitcoin", "ethereum"]] = None,
    ) -> Record[TreasurySnap]:
        """Public company treasuries

        asset: The asset. Default: bitcoin.
        """
        query: Query = {"asset": asset}
        return self._record("/onchain/treasuries", query)

    def valuation(
        self,
    ) -> Record[ValuationSnap]:
        """Bitcoin valuation metrics

        """
        query: Query = {}
        return self._record("/onchain/valuation", query)

    def venue_spreads(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Rows[VenueSpreadSnap]:
        """Spot venues against their median

        coins: Tickers, in any case. Default: BTC,ETH,SOL.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"coins": coins, "explain": explain}
        return self._rows("/flows/venue-spreads", query)

    def kimchi(
        self,
        *,
        coin: Optional[str] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Record[KimchiPremiumSnap]:
        """Korean premium

        coin: Ticker, in any case. Default: BTC.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"coin": coin, "explain": explain}
        return self._record("/flows/kimchi", query)

    def etf_proxy(
        self,
        *,
        asset: Optional[Literal["bitcoin", "ethereum"]] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Record[EtfFlowProxySnap]:
        """ETF flows and Coinbase pressure

        asset: The asset. Default: bitcoin.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"asset": asset, "explain": explain}
        return self._record("/flows/etf", query)

    def flows_signals(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Rows[FlowSignal]:
        """Active flow signals

        coins: Tickers, in any case, of coins that are followed: BTC, ETH and SOL, unless the
            operator chose others. Omitted: BTC, ETH and SOL, as far as they are followed.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"coins": coins, "explain": explain}
        return self._rows("/flows/signals", query)

    def flows_summary(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Record[FlowSummarySnap]:
        """Flow summary

        coins: Tickers, in any case, of coins that are followed: BTC, ETH and SOL, unless the
            operator chose others. Omitted: BTC, ETH and SOL, as far as they are followed.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"coins": coins, "explain": explain}
        return self._record("/flows/summary", query)

    def flows_history(
        self,
        coin: str,
        metric: Literal["flowPressureScore", "proxyPremiumBps", "kimchiPremiumBps", "etfLatestTotalUsdm", "proxyTapeDeltaUsd5m", "primaryMicroNetUsd5m", "venueSpreadDispersionBps", "sourcePartial"],
        *,
        interval: Optional[Literal["1m"]] = None,
        since_ms: Optional[Time] = None,
        explain: Optional[Literal["1"]] = None,
    ) -> Record[FlowHistorySeries]:
        """Recorded flows

        coin: Ticker, in any case.
        metric: Name of the metric.
        interval: Time between two points. Default: 1m.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        explain: Adds `meta.explain`: formulas, inputs and excluded inputs.
        """
        query: Query = {"coin": coin, "metric": metric, "interval": interval, "sinceMs": optional_ms(since_ms), "explain": explain}
        return self._record("/flows/history", query)

    def flows_cvd(
        self,
        coin: str,
        *,
        interval: Optional[Literal["1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w"]] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
    ) -> Record[CvdSeries]:
        """Cumulative volume delta

        coin: Ticker, in any case.
        interval: Length of a candle. Days begin at 00:00 UTC, weeks on Monday. Default: 1m.
        start: Where the sums begin, in milliseconds since the Unix epoch; begins at the start of its
            interval. Omitted: 300 intervals before `end`.
        end: End in milliseconds since the Unix epoch, not included; at most 1000 intervals after
            `start`. Omitted: now.
        """
        query: Query = {"coin": coin, "interval": interval, "start": optional_ms(start), "end": optional_ms(end)}
        return self._record("/flows/cvd", query)

    def markets(
        self,
        *,
        exchange: Optional[Literal["hyperliquid", "bybit", "okx", "binance", "bitget", "gate", "mexc", "dydx", "kraken", "deribit", "polymarket", "coinbase", "cme"]] = None,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> Record[MarketsResponse]:
        """Venues and their markets

        exchange: Venue whose markets are listed: its id, in any case, an alias (`hl`, `bn`) or a
            neutral code (`venue_a` to `venue_g`). Omitted: the catalogue alone.
        page: Number of the page, from 0, which is the default; only with `exchange`.
        page_size: Markets on a page, 50 by default; only with `exchange`.
        """
        query: Query = {"exchange": exchange, "page": page, "pageSize": page_size}
        return self._record("/markets", query)

    def spot(
        self,
        *,
        coins: Optional[Union[str, Sequence[str]]] = None,
    ) -> Rows[SpotTick]:
        """Spot prices across venues

        coins: Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`); at most 20.
            Default: BTC,ETH,SOL.
        """
        query: Query = {"coins": coins}
        return self._rows("/markets/spot", query)

    def points(
        self,
        type: Literal["OI_AGG", "FUNDING_AGG", "SPOT", "TRADE_SIDE_AGNOSTIC_AGG", "TPO_AGG", "BLOCK_BOOK_SNAPSHOT_AGG"],
        exchange: Union[str, Sequence[str]],
        *,
        coin: Optional[Union[str, Sequence[str]]] = None,
        coins: Optional[Union[str, Sequence[str]]] = None,
        transform_group_by_type: Optional[Literal["GROUP_BY_TYPE_NONE", "GROUP_BY_TYPE_SUM"]] = None,
    ) -> Record[PointsResponse]:
        """Generic aggregation

        type: The kind of value: one of OI_AGG, FUNDING_AGG, SPOT. The others are reserved and
            answered with 501.
        exchange: Venue: its id, in any case, an alias or a neutral code. Given once for each; every
            one must supply what is requested (see `/markets`).
        coin: Ticker, in any case. Given once for each, beside or in place of `coins`.
        coins: Tickers, in any case. Without any coin: the default coins of the resource behind it;
            in a sum of open interest or funding every coin that any of the venues lists.
        transform_group_by_type: `GROUP_BY_TYPE_SUM` folds the venues of a coin into one row.
            Default: GROUP_BY_TYPE_NONE.
        """
        query: Query = {"type": type, "exchange": exchange, "coin": coin, "coins": coins, "transform.groupBy.type": transform_group_by_type}
        return self._record("/points", query)

    def prediction_events(
        self,
    ) -> Rows[PredictionEvent]:
        """Prediction markets

        """
        query: Query = {}
        return self._rows("/prediction/events", query)

    def prediction_orderbook(
        self,
        token_id: str,
    ) -> Record[PredictionBook]:
        """Order book of a prediction outcome

        token_id: Numeric id of the outcome, from `/prediction/events`.
        """
        query: Query = {"tokenId": token_id}
        return self._record("/prediction/orderbook", query)

    def prediction_history(
        self,
        id: str,
        *,
        since_ms: Optional[Time] = None,
    ) -> Record[QuestionPriceSeries]:
        """Recorded prices of a question

        id: Id of the question, as in `/prediction/events`.
        since_ms: Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that
            is kept.
        """
        query: Query = {"id": id, "sinceMs": optional_ms(since_ms)}
        return self._record("/prediction/history", query)

    def audit(
        self,
        market: str,
        *,
        from_: Optional[Time] = None,
        to: Optional[Time] = None,
    ) -> Rows[AuditHour]:
        """Hourly audit against the venue's candles

        market: Market of any recorded venue: `hyperliquid:BTC`, `coinbase-spot:BTC-USD`.
            `/markets/recorded` lists them.
        from_: Hours that begin at or after this time, in ms. Omitted: a day before `to`.
        to: Hours that begin before this time, in ms. Omitted: now.
        """
        query: Query = {"market": market, "from": optional_ms(from_), "to": optional_ms(to)}
        return self._rows("/audit", query)

    def audit_summary(
        self,
        *,
        days: Optional[int] = None,
    ) -> Record[AuditSummary]:
        """Verdicts by venue and day

        days: Days up to today. Default: 30.
        """
        query: Query = {"days": days}
        return self._record("/audit/summary", query)

    def audit_day(
        self,
        venue: str,
        *,
        day: Optional[str] = None,
    ) -> Rows[AuditDayMarket]:
        """Verdicts of a venue's markets on a day

        venue: Id of the venue as `/audit/summary` has it: `hyperliquid`, `binance-spot`.
        day: The UTC day. Omitted: today.
        """
        query: Query = {"venue": venue, "day": day}
        return self._rows("/audit/day", query)

    def audit_fills(
        self,
        *,
        day: Optional[str] = None,
    ) -> Rows[FillsReconciliation]:
        """Daily audit against on-chain fills

        day: Only this UTC day, in full.
        """
        query: Query = {"day": day}
        return self._rows("/audit/fills", query)

    def audit_liquidations(
        self,
        *,
        day: Optional[str] = None,
        coin: Optional[str] = None,
    ) -> Rows[LiquidationScoreDay]:
        """Accuracy of inferred liquidations

        day: Only this UTC day.
        coin: Only this coin in `coins`, in any case.
        """
        query: Query = {"day": day, "coin": coin}
        return self._rows("/audit/liquidations", query)

    def sources(
        self,
    ) -> Rows[SourceInfo]:
        """Data sources and their health

        """
        query: Query = {}
        return self._rows("/sources", query)

    def openapi(self) -> Any:
        """OpenAPI document"""
        return self._document("/openapi")

    def asyncapi(self) -> Any:
        """AsyncAPI document"""
        return self._document("/asyncapi")
