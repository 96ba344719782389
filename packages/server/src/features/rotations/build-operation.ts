import type { Clock } from '@crosstape/core';
import { readFrame } from '../../gateway/client-frames.ts';
import { GatewayError, gatewayErrorOf } from '../../gateway/gateway-error.ts';
import type { Operation } from '../../gateway/operation.ts';
import type { SocketCaller } from '../../http/gate.ts';
import type { Failure } from '../../platform/errors.ts';
import { chosenMarkets } from '../market-tape/chosen-market.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import type { CoinIndex } from '../markets/coins.ts';
import { BuildFrame, buildErrorCodes, buildFrames } from './build-frames.ts';
import type { Rotations } from './rotations.ts';
import { Builds } from './socket-builds.ts';

export interface BuildOperationOptions {
  readonly clock: Clock;
  readonly rotations: Pick<Rotations, 'submit' | 'job' | 'watch'>;
  /** Counts a build towards the caller's quota; returns why it is refused. */
  readonly countBuild: (caller: SocketCaller) => Failure | undefined;
  readonly primaryVenue: string;
  readonly markets?: MarketReader | undefined;
  /** The coins of the primary venue; rejects with a `Failure` while unknown. */
  readonly knownCoins: () => Promise<CoinIndex>;
}

/** The request and response frames, without a service behind them. */
export const buildDefinition: Omit<Operation, 'open'> = {
  name: 'build',
  summary: 'Builds bars from the recorded tape.',
  request: BuildFrame,
  responses: buildFrames,
};

/** Builds that are requested over a socket. */
export function buildOperation({
  clock,
  rotations,
  countBuild,
  knownCoins,
  primaryVenue,
  markets,
}: BuildOperationOptions): Operation {
  const knownCoin = async (text: string): Promise<string> => {
    const coin = (await knownCoins()).find(text);
    if (coin !== undefined) return coin;
    throw new GatewayError('unknown_symbol', `Coin \`${text}\` is not known on the primary venue.`);
  };
  return {
    ...buildDefinition,
    open({ send, report, countInvalid }) {
      const builds = new Builds({ clock, rotations, send });
      return {
        async handle(raw, caller, id) {
          try {
            const { op: _op, id: _id, coin, market, ...rest } = readFrame(BuildFrame, raw);
            const choosing = { word: 'Field', markets, primaryVenue, knownCoin } as const;
            const requested = async () => ({ ...rest, ...(await chosenMarkets(choosing, { coin, market })) });
            const refusal = countBuild(caller);
            if (refusal) throw refusal;
            await builds.start(requested, caller, id);
          } catch (error) {
            const { code: given, message } = gatewayErrorOf(error, report);
            const code = buildErrorCodes.find((one) => one === given) ?? 'internal';
            send({ type: 'build:error', ...id, code, message });
            if (code === 'bad_request') countInvalid();
          }
        },
        close: () => builds.close(),
      };
    },
  };
}
