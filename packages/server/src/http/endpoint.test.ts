import { expect, it } from 'vitest';
import { ROOM_BEFORE, SerializedJson } from './endpoint.ts';

const BEFORE = '{"data":';
const AFTER = ',"meta":{}}';

/** A text in a buffer with this many unused bytes. */
function printed(unused: number) {
  const text = Buffer.from(`[${'1,'.repeat(500)}1]`);
  const buffer = new ArrayBuffer(ROOM_BEFORE + text.length + AFTER.length + unused);
  const json = new Uint8Array(buffer, ROOM_BEFORE, text.length);
  json.set(text);
  return { buffer, text, json: new SerializedJson(json, { hasRoom: true }) };
}

it.each([
  ['in place where the buffer is nearly full', 100, true],
  ['in its own buffer where the other would keep much memory', 10_000, false],
])('puts a text between two others %s', (_, unused, isInPlace) => {
  const { buffer, text, json } = printed(unused);
  const body = json.between(BEFORE, AFTER);
  expect(body.toString()).toBe(BEFORE + text.toString() + AFTER);
  expect(body.buffer === buffer).toBe(isInPlace);
  expect(body.buffer.byteLength).toBeLessThan(10_000);
});
