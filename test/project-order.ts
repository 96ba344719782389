import { availableParallelism } from 'node:os';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { sharedUsers } from './shared-users.ts';

const { sort: byDuration } = BaseSequencer.prototype;

/** Most of the long tests wait for something now and then: one for each core would leave cores idle. */
export const WORKERS = availableParallelism() + 2;

/** Files that take long for their size, which is all that a first run knows of them. */
const long =
  /\/(?:check-live|group-bus|keys|kill|month|official-clients|python|redis-tls|samples|seeding|thread)\.test\.ts$/;

/**
 * The tests of the whole come first, since they take longest. A worker loads modules once for the files of a project that
 * follow one another. Users of the shared service follow one another too, so that it can end early, and begin when it has
 * its history.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await byDuration.call(this, files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.test(moduleId);
    const isUser = ({ moduleId }: TestSpecification): boolean => sharedUsers.test(moduleId);
    const all = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    const whole = all.filter(({ project }) => project.name === 'whole');
    const others = whole.filter((file) => !isUser(file));
    return [
      ...others.slice(0, WORKERS),
      ...whole.filter(isUser),
      ...others.slice(WORKERS),
      ...all.filter((file) => !whole.includes(file)),
    ];
  }
}
