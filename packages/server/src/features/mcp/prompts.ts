import type { GetPromptResult, Prompt as ListedPrompt } from '@modelcontextprotocol/server';
import { Failure } from '../../platform/errors.ts';
import type { Params } from './messages.ts';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  text(coin: string): string;
}

const coinArgument = { name: 'coin', description: 'Ticker of the coin; default: BTC.', required: false };
const COIN = /^[A-Za-z0-9]{1,32}$/;

const prompts: readonly Prompt[] = [
  {
    name: 'morning_brief',
    title: 'Morning brief',
    description:
      'A short brief of one market: price, positioning, flows, option levels and the quality of the data.',
    text: (coin) =>
      `Write a morning brief of ${coin} in at most 150 words. Call market_brief first, then get_liquidations and get_flow for ${coin}. Quote figures as the tools return them, with their time (asOf). Say which figures are inferred, and name gaps when coverage is partial.`,
  },
  {
    name: 'why_did_it_move',
    title: 'Why did it move',
    description:
      'Explains a move of the last hours by trades, liquidations, positioning and flows, without guessing.',
    text: (coin) =>
      `Explain the last move of ${coin}. Call get_bars for hyperliquid:${coin} with five-minute bars (params {"intervalMs": 300000}), then get_large_prints, get_liquidations, get_funding and get_flow. Check get_coverage for the same hours before relying on volumes. Separate measured facts from inference, and say so when the data do not explain the move.`,
  },
];

export const listedPrompts: readonly ListedPrompt[] = prompts.map(({ name, title, description }) => ({
  name,
  title,
  description,
  arguments: [coinArgument],
}));

/** Throws a `Failure` for an unknown prompt or a malformed coin. */
export function readPrompt(name: unknown, given: Params): GetPromptResult {
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt)
    throw new Failure(
      'not_found',
      `There is no prompt ${String(name)}; there are ${prompts.map((one) => one.name).join(', ')}.`,
    );
  const coin = given.coin ?? 'BTC';
  if (typeof coin !== 'string' || !COIN.test(coin))
    throw new Failure('bad_request', '`coin` must be a ticker, such as BTC.');
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(coin) } }],
  };
}
