import { type Capability, findVenue } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { catalogOf } from './catalog.ts';
import { allPublishers, catalog, spotVenues, venues } from './index.ts';

const having = (capability: Capability): readonly string[] =>
  catalog.filter(({ supplies }) => supplies.has(capability)).map(({ id }): string => id);

describe('the catalogue', () => {
  it('lists every venue once, by what it supplies', () => {
    const perps = venues.map(({ id }) => id);
    expect(having('oi')).toEqual(perps);
    expect(having('funding')).toEqual(perps);
    expect(having('spot').toSorted()).toEqual(spotVenues.map(({ id, venue }) => venue ?? id).toSorted());
    for (const capability of ['options', 'predictions'] as const) expect(having(capability)).not.toEqual([]);
    expect(new Set(catalog.map(({ id }) => id)).size).toBe(catalog.length);
  });

  it('names who reports liquidations, and that those of the primary venue are inferred', () => {
    const reporting = venues
      .filter(({ connector }) => JSON.stringify(connector?.feeds).includes('"liquidations"'))
      .map(({ id }) => id);
    expect(having('liquidations').toSorted()).toEqual([...reporting, 'hyperliquid'].toSorted());
    expect(reporting).not.toContain('mexc');
  });

  it('lists only capabilities that a source of the venue supplies', () => {
    // Derived from the texts of the connectors, not from the rule that made the catalogue.
    const words = {
      oi: 'openInterest',
      funding: 'funding',
      spot: 'spotTickers',
      options: 'btcOptions',
      predictions: 'predictions',
    };
    for (const { id, supplies } of catalog) {
      const parts = allPublishers.filter((one) => one.id === id || one.venue === id);
      const gives = parts
        .map(({ connector }) => JSON.stringify([connector?.resources, connector?.lookups]))
        .join();
      for (const [capability, table] of Object.entries(words))
        expect(supplies.has(capability as Capability), `${id} ${capability}`).toBe(
          gives.includes(`"${table}"`),
        );
    }
  });

  it('finds both lists of the venues that have two', () => {
    const both = catalog.filter(({ lists }) => lists.length === 2).map(({ id }) => id);
    const perps = venues.map(({ id }) => id);
    const withSpot = spotVenues.map(({ venue }) => venue).filter((venue) => perps.includes(venue));
    expect(withSpot).not.toEqual([]);
    expect(new Set(both)).toEqual(new Set(withSpot));
    for (const { lists, status } of catalog) {
      expect(lists.length > 0).toBe(status === 'live');
      expect(new Set(lists.map(({ publisher, table }) => `${publisher} ${table}`)).size).toBe(lists.length);
    }
  });

  it('knows venues by id, alias and neutral code, in any case', () => {
    for (const [name, id] of [
      ['BN', 'binance'],
      ['Venue_D', 'binance'],
      ['CoinBase', 'coinbase'],
      ['cme', 'cme'],
    ])
      expect(findVenue(catalog, name as string)?.id).toBe(id);
    const spellings = catalog.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(new Set(spellings).size).toBe(spellings.length);
  });

  it('says nothing of a venue that is not connected', () => {
    const identity = { id: 'x', name: 'X', kind: 'cex', aliases: [] } as const;
    expect(catalogOf([identity], [identity], 'x')).toEqual([
      { ...identity, status: 'planned', supplies: new Set(), lists: [], hosts: [] },
    ]);
  });
});
