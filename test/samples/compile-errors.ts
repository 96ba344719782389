import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Sample } from './extract.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Errors of a strict compiler in TypeScript samples, each a separate file. */
export function compileErrors(samples: readonly Sample[]): readonly string[] {
  const config = ts.readConfigFile(`${root}tsconfig.tests.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(
    config.config,
    { ...ts.sys, readDirectory: () => [] },
    root,
  );
  const host = ts.createCompilerHost(options);
  const texts = new Map(samples.map(({ text }, i) => [`${root}examples/sample-${i}.ts`, text]));
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].flatMap((path, i) => {
    const source = program.getSourceFile(path);
    const { file, line } = samples[i] as Sample;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) => {
        const at = line + (source?.getLineAndCharacterOfPosition(start).line ?? 0);
        return `${file}:${at} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    );
  });
}
