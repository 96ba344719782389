import type { Tool } from './tool.ts';
import { explain } from './tools/explain.ts';
import { getBars } from './tools/get-bars.ts';
import { getCoverage } from './tools/get-coverage.ts';
import { getFlow } from './tools/get-flow.ts';
import { getFunding } from './tools/get-funding.ts';
import { getLargePrints } from './tools/get-large-prints.ts';
import { getLiquidations } from './tools/get-liquidations.ts';
import { getOpenInterest } from './tools/get-open-interest.ts';
import { getOptionLevels } from './tools/get-option-levels.ts';
import { marketBrief } from './tools/market-brief.ts';
import { searchMarkets } from './tools/search-markets.ts';

/** Every tool, in the order of the clients' lists. */
export const tools: readonly Tool[] = [
  marketBrief,
  searchMarkets,
  getBars,
  getOpenInterest,
  getFunding,
  getLiquidations,
  getFlow,
  getOptionLevels,
  getLargePrints,
  getCoverage,
  explain,
];
