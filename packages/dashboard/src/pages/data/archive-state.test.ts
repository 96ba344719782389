import { expect, it } from 'vitest';
import { archiveState, bytesText, dayState } from './archive-state.ts';

it.each([
  ['off', "No archive configured: days are deleted after the store's retention. 3 files, 1.5 kB."],
  ['ok', 'Archived. 3 files, 1.5 kB.'],
  ['failing', 'Cannot write to the archive; 2 days are waiting in the store. 3 files, 1.5 kB.'],
])('says what an archive that is %s means for the files', (archive, text) => {
  expect(archiveState({ archive, waitingDays: 2, totalFiles: 3, totalBytes: 1_500 })).toBe(text);
});

it('says whether a day is complete and archived', () => {
  expect(dayState({ complete: true, archived: true })).toBe('complete, archived');
  expect(dayState({ complete: false, archived: false })).toBe('has gaps');
});

it('prints sizes', () => {
  expect([0, 999, 1_500, 14_201_730].map(bytesText)).toEqual(['0 B', '999 B', '1.5 kB', '14.2 MB']);
});
