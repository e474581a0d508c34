import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { build, type Plugin } from 'esbuild';
import * as z from 'zod';
import { repositoryRoot } from '../../../lib/build/bundle.ts';
import { git, releases } from './history.ts';
import { lastRelease } from './released-rows.ts';

const parser = z.custom<{ readonly parse: (value: unknown) => unknown }>(
  (value) => typeof value === 'object' && value !== null && 'parse' in value,
);
const toMessage = z.custom<(value: unknown) => unknown>((value) => typeof value === 'function');
const readers = z.looseObject({
  deliveryMessage: parser,
  intakeMessage: parser,
  /** Since 0.3.0. */
  toDeliveryMessage: toMessage.optional(),
});

export type LastReaders = z.infer<typeof readers>;

/** Builds the code of the last release that reads rows and messages. It needs the history of git. */
export async function buildLastReaders(): Promise<LastReaders> {
  // While a release is made, no page names its commit, and its code is this one.
  const commit = releases.find(({ version }) => version === lastRelease)?.commit ?? 'HEAD';
  const files = git('ls-tree', '-r', '--name-only', commit, 'shared')?.split('\n') ?? [];
  const modules = files.filter((path) =>
    /^shared\/(aws\/table\/.+-item|contract\/messages\/[^/]+-message)\.ts$/.test(path),
  );
  const outfile = join(repositoryRoot, 'dist', `readers-${lastRelease}-${process.pid}.mjs`);
  await build({
    stdin: { contents: modules.map((path) => `export * from './${path}';`).join('\n') },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [filesOf(commit)],
    // Every release has it.
    external: ['zod'],
    logLevel: 'error',
  });
  return readers.parse(await import(outfile).finally(() => rm(outfile)));
}

/** Reads the files of a commit instead of those of the working tree. */
const filesOf = (commit: string): Plugin => ({
  name: 'files of a commit',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(\.|#shared\/)/ }, ({ path, importer }) => ({
      namespace: 'commit',
      path: path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(importer), path),
    }));
    onLoad({ filter: /.*/, namespace: 'commit' }, ({ path }) => ({
      contents: git('show', `${commit}:${path}`) ?? '',
      loader: 'ts',
    }));
  },
});
