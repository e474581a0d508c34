import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../lib/build/bundle.ts';

/** @returns what git prints; `undefined` when it fails or is not installed */
export function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', repositoryRoot, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Two lines: the second is empty where this folder is the top of the clone. */
const clone = git('rev-parse', '--is-shallow-repository', '--show-prefix');

/** Why there is no history to look into; `null` when there is one. A copy in another repository has only that one's. */
export const noHistory =
  clone === 'false' ? null : clone === 'true' ? 'this clone is shallow' : 'this is no clone of git';

const changelog = readFileSync(join(repositoryRoot, 'CHANGELOG.md'), 'utf8');

/** Versions of the changelog with the commits that it names, newest first. */
export const releases = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) - .*\n(?:\nCommit `(\w+)`\.\n)?/gm)].map(
  ([, version = '', commit]) => ({ version, commit }),
);
