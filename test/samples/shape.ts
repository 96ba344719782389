import { expect } from 'vitest';

/** Demands that whatever a sample shows is there, of the same type; values may differ, and there may be more. */
export function expectShape(shown: unknown, actual: unknown, path = ''): void {
  if (shown === null || actual === null) return;
  expect(kindOf(actual), `kind of ${path || 'the answer'}`).toBe(kindOf(shown));
  if (Array.isArray(shown) && Array.isArray(actual)) {
    if (shown.length > 0 && actual.length > 0) expectShape(shown[0], actual[0], `${path}[0]`);
  } else if (typeof shown === 'object') {
    for (const [name, value] of Object.entries(shown as object)) {
      expect(Object.keys(actual as object), `fields of ${path || 'the answer'}`).toContain(name);
      expectShape(value, (actual as Record<string, unknown>)[name], `${path}.${name}`);
    }
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
