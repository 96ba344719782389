import { existsSync, readFileSync } from 'node:fs';
import {
  FieldCounter,
  fieldGroup,
  type FieldInventory,
} from '../packages/server/src/capture/field-inventory.ts';
import { feedsOf, readablePublishers, requestsOf } from '../packages/venues/src/index.ts';

/** What is needed here of a line of a venue's fixtures. */
interface Fixture {
  readonly name: string;
  readonly frame?: string;
  readonly body?: unknown;
  readonly expect?: { readonly kind?: string };
}

/** The module with the fields of every golden sample, by source. Invented samples and refused ones say nothing of the wire. */
export function sampleFieldsModule(folder: URL): string {
  const fields: Record<string, FieldInventory> = {};
  for (const { id, connector } of readablePublishers) {
    if (!connector) continue;
    for (const { name } of [...requestsOf(connector), ...feedsOf(connector)]) {
      const counters = new Map<string, FieldCounter>();
      for (const { frame, body, expect } of fixtures(new URL(`${id}/fixtures/${name}.jsonl`, folder))) {
        const group = fieldGroup(`${id}:${name}`, frame === undefined ? undefined : expect?.kind);
        const counter = counters.get(group) ?? new FieldCounter();
        counters.set(group, counter.add(frame === undefined ? body : parseJson(frame)));
      }
      for (const [group, counter] of counters) fields[group] = counter.inventory();
    }
  }
  const lines = Object.entries(fields).map(
    ([group, inventory]) => `  "${group}": ${JSON.stringify(inventory)},\n`,
  );
  return `import type { FieldInventory } from '../field-inventory.ts';

/** Printed from the golden samples of the venues by \`npm run generate\`. */
export const sampleFields: Readonly<Record<string, FieldInventory>> = {
${lines.join('')}};
`;
}

function fixtures(file: URL): readonly Fixture[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Fixture)
    .filter(({ name, expect }) => !name.startsWith('invented-') && expect && expect.kind !== 'refused');
}

function parseJson(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}
