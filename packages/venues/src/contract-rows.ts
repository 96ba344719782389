import type { Instrument, Price, Volume } from '@crosstape/core';
import { bySymbol } from './by-symbol.ts';
import {
  type Fields,
  type ParsedRows,
  present,
  type ReportOdd,
  readObject,
  readOptional,
  readRows,
  readText,
} from './reading.ts';

/** A row of an answer about contracts, and the contract of ours that it is about. */
export interface ContractRow {
  readonly row: Fields;
  readonly instrument: Instrument;
}

/** The rows of a list whose `symbol` is a contract of ours. */
export function readContractRows(
  list: readonly unknown[],
  what: string,
  instruments: readonly Instrument[] | undefined,
): ParsedRows<ContractRow> {
  const ours = bySymbol(instruments);
  return readRows(list.length, (i) => {
    const row = readObject(list[i], `${what}[${i}]`);
    const instrument = ours.get(readText(row.symbol, `${what}[${i}].symbol`));
    return instrument && { row, instrument };
  });
}

/** Mark and, where it is there, index of a contract, as the venue names and writes them. */
export function priceReader(
  fields: { readonly mark: string; readonly index: string },
  read: (value: unknown, what: string) => number,
): (contract: ContractRow, odd: ReportOdd) => Price {
  return ({ row, instrument: { coin, symbol } }, odd) => {
    const mark = read(row[fields.mark], `${symbol}.${fields.mark}`);
    const index = readOptional(row[fields.index], `${symbol}.${fields.index}`, read, odd);
    return { coin, symbol, mark, ...present({ index }) };
  };
}

/** Amount and, where they are there, coins traded in a contract in 24 hours, as the venue names and writes them. */
export function volumeReader(
  fields: { readonly value: string; readonly coins: string },
  read: (value: unknown, what: string) => number,
): (contract: ContractRow, odd: ReportOdd) => Volume {
  return ({ row, instrument: { coin, symbol } }, odd) => {
    const value = read(row[fields.value], `${symbol}.${fields.value}`);
    const coins = readOptional(row[fields.coins], `${symbol}.${fields.coins}`, read, odd);
    return { coin, symbol, value, ...present({ coins }) };
  };
}
