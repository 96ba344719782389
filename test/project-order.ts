import { BaseSequencer, type TestSpecification } from 'vitest/node';

const { sort: byDuration } = BaseSequencer.prototype;

/**
 * The tests of the whole come first, since they take longest. A worker loads modules once for the files of a project that
 * follow one another.
 */
export class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await byDuration.call(this, files);
    const isWhole = ({ project }: TestSpecification): boolean => project.name === 'whole';
    return [...sorted.filter(isWhole), ...sorted.filter((file) => !isWhole(file))];
  }
}
