import { restoreCatalog } from '../../features/archive/restore-catalog.ts';
import type { Terminal } from '../command.ts';
import { startProgress } from '../ticks/progress.ts';
import { withRecord } from './open-record.ts';

export async function restoreArchive(args: readonly string[], terminal: Terminal): Promise<number> {
  return withRecord(
    args,
    terminal,
    { isWriting: true },
    async ({ store, catalog, place, address, folder }) => {
      let progress: ReturnType<typeof startProgress> | undefined;
      const restored = await restoreCatalog(store, catalog, place, (done, all) => {
        progress ??= startProgress(terminal.stderr, 'restoring', all);
        progress.at(done);
      }).finally(() => progress?.stop());
      const { files, days, trades, unreadable } = restored;
      if (unreadable.length === 0) await catalog.setAddress({ ...address, isRestored: true });
      terminal.out(
        `${folder} knows ${files} files of ${address.archive}: ${days} market days with ${trades} trades`,
      );
      for (const line of unreadable) terminal.error(`cannot be read: ${line}`);
      return unreadable.length === 0 ? 0 : 1;
    },
  );
}
