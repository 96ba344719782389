import { allPublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import { config } from './config.ts';
import { doctor } from './doctor/doctor.ts';
import { commands } from './index.ts';
import { splitFlags } from './own-flags.ts';
import { serve } from './serve.ts';

/** The examples of a help text. */
function examplesOf(help: string): readonly string[] {
  const [, block = ''] = /^Examples:\n((?: {2}.+\n?)+)/m.exec(help) ?? [];
  return block.split('\n').flatMap((line) => (line === '' ? [] : [line.trim()]));
}

it.each(commands)('the help of $name has examples of its own', ({ name, help }) => {
  const examples = examplesOf(help());
  expect(examples.some((line) => line.startsWith(`crosstape ${name}`))).toBe(true);
  const names = commands.map((command) => command.name);
  for (const line of examples) {
    const [program, word] = line.split(' ');
    expect(program).toBe('crosstape');
    if (word !== undefined && !word.startsWith('-')) expect(names).toContain(word);
  }
});

it.each([serve, config, doctor])('the examples of $name have flags that there are', ({ help }) => {
  for (const line of examplesOf(help())) {
    const [, , ...args] = line.replace(/ \|.*/, '').split(' ');
    // `doctor --live` has its own flags.
    const { rest } = splitFlags(
      args.filter((arg) => arg !== '--live'),
      args.includes('--live') ? [{ flag: 'seconds' }, { flag: 'venues' }] : [],
    );
    expect(() => readSettings(rest, {}, allPublishers)).not.toThrow();
  }
});
