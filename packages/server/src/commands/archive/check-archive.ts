import { DamageList } from '../../features/archive/damage-list.ts';
import { verifyArchive } from '../../features/archive/verify-archive.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { Terminal } from '../command.ts';
import { startProgress } from '../ticks/progress.ts';
import { printSize, withRecord } from './open-record.ts';

export async function checkArchive(args: readonly string[], terminal: Terminal): Promise<number> {
  return withRecord(args, terminal, { switches: ['json'] }, async (record) => {
    const { folder, catalog, place, address, switches } = record;
    let all = 0;
    for await (const _ of catalog.files()) all += 1;
    const progress = startProgress(terminal.stderr, 'verifying', all);
    const list = new DamageList(folder);
    const verified = await verifyArchive({
      catalog,
      place,
      list,
      clock: systemClock,
      onFile: progress.at,
    }).finally(() => progress.stop());
    const { files, bytes, damages } = verified;
    if (switches.has('json')) terminal.out(JSON.stringify({ archive: address.archive, ...verified }));
    else {
      for (const { key, problem } of damages) terminal.out(`damaged ${key}: ${problem}`);
      const verdict = damages.length === 0 ? 'nothing is damaged' : `${damages.length} damaged`;
      terminal.out(`${address.archive}: ${files} files, ${printSize(bytes)}; ${verdict}`);
    }
    return damages.length === 0 ? 0 : 1;
  });
}
