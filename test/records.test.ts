import { describe, expect, it } from 'vitest';
import { recordsDocument } from '../scripts/record-fields.ts';

const documentOf = (field: object): object => ({
  components: {
    schemas: {
      Thing: { description: 'A thing.', properties: { a: field } },
      Part: { description: 'A part.', properties: { b: { type: 'number', description: 'Of it.' } } },
    },
  },
});

const noChannels = { components: { messages: {} } };
const channelOf = (field: object): object => ({
  components: {
    messages: {
      'data.things': { payload: { properties: { payload: { properties: { d: field } } } } },
      ack: { payload: { properties: { payload: { properties: { e: field } } } } },
    },
  },
});

describe('the list of every field', () => {
  it('has the meaning of each, or of the record that it is', () => {
    const text = recordsDocument(
      '# Records\n\nBy hand.\n\n## Every field\n\nold',
      documentOf({ $ref: '#/components/schemas/Part' }),
      noChannels,
    );
    expect(text).toMatch(/^# Records\n\nBy hand\./);
    expect(text).toContain('| `a?` | [Part](#part) | A part. |');
    expect(text).not.toContain('old');
  });

  it('goes into lists and maps', () => {
    const leaf = { type: 'object', properties: { c: { type: 'number', description: 'Each.' } } };
    const rowsOf = (field: object): string =>
      recordsDocument('', documentOf({ description: 'Many.', ...field }), noChannels);
    expect(rowsOf({ type: 'array', items: leaf })).toContain('| `a[].c?` | number | Each. |');
    expect(rowsOf({ type: 'object', additionalProperties: leaf })).toContain('| `a{}.c?` | number | Each. |');
    const lists = { type: 'object', additionalProperties: { type: 'array', items: leaf } };
    expect(rowsOf(lists)).toContain('| `a{}[].c?` | number | Each. |');
    expect(rowsOf({ type: 'object', additionalProperties: false })).toContain('| `a?` | object | Many. |');
  });

  it('has the payloads of the WebSocket channels', () => {
    const thing = documentOf({ type: 'number', description: 'One.' });
    const text = recordsDocument('', thing, channelOf({ type: 'number', description: 'Reported.' }));
    expect(text).toContain('### `payload` of `things` (WebSocket)');
    expect(text).toContain('| `d?` | number | Reported. |');
    expect(text).not.toContain('`e?`');
    expect(() => recordsDocument('', thing, channelOf({ type: 'number' }))).toThrow('d? has no meaning');
  });

  it.each([{ type: 'number' }, { type: 'number', description: ' ' }, { type: 'object', properties: {} }])(
    'is not made when one has none: %j',
    (field) => {
      expect(() => recordsDocument('', documentOf(field), noChannels)).toThrow('Thing.a? has no meaning');
    },
  );
});
