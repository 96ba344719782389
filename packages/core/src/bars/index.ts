export { BarBuilder, createBuilder, resumeBuilder } from './bar-builder.ts';
export { BARS_MAX, type Bar, type BarColumns, barAt } from './bar-columns.ts';
export type { BarKind, BarParam, BarRule, BarSpec } from './bar-kind.ts';
export { type BarSymbol, barSeconds, checkDayBars, type NamedBars, parseBarSymbol } from './bar-symbol.ts';
export { BAR_JSON_BYTES_MIN, barsToJson, type BuildResult } from './bars-to-json.ts';
export { BadState, type BuilderState, type Cursor, decodeState } from './builder-state.ts';
export { ByteReader } from './byte-reader.ts';
export { ByteWriter } from './byte-writer.ts';
export { Footprint, type FootprintLevel, type FootprintTotals } from './footprint.ts';
export { barKinds } from './kinds/index.ts';
export { markComplete, type TapeGap } from './mark-complete.ts';
export {
  BadPack,
  type BuildStats,
  barsInPack,
  decodePack,
  decodePackInTurns,
  encodePack,
  MERGED_SIZE_DECIMALS,
  type MergedStats,
  type ResultPack,
} from './result-pack.ts';
export { allowedText, type SpecCheck, validateSpec } from './validate-spec.ts';
