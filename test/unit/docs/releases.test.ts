import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { repositoryRoot } from '../../../lib/build/bundle.ts';

const readPage = (name: string): string => readFileSync(join(repositoryRoot, name), 'utf8');

/** @returns what git prints; `undefined` when it fails or is not installed */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', repositoryRoot, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const isShallow = git('rev-parse', '--is-shallow-repository');
const noHistory =
  isShallow === 'false' ? null : isShallow === 'true' ? 'this clone is shallow' : 'this is no clone of git';

/** Versions of the changelog with the commits that it names, newest first. */
const releases = [
  ...readPage('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) - .*\n(?:\nCommit `(\w+)`\.\n)?/gm),
].map(([, version = '', commit]) => ({ version, commit }));
const named = releases.flatMap(({ version, commit }) => (commit === undefined ? [] : [{ version, commit }]));

it('a version begins with what customers notice, which is all of it that their site shows', () => {
  const versions = readPage('CHANGELOG.md').split(/^## /m).slice(1);
  const first = versions.map((text) => ({
    version: /^\S+/.exec(text)?.[0],
    part: /^### (.+)$/m.exec(text)?.[1] ?? 'API and deliveries',
  }));

  const others = first.filter(({ part }) => part !== 'API and deliveries');
  expect(others.map(({ version }) => version)).toEqual(['0.2.0', '0.1.0']);
});

describe('the commits of the releases', () => {
  it('the changelog names the commit of every release but the one being made', () => {
    expect(releases.slice(1).filter(({ commit }) => commit === undefined)).toEqual([]);
    expect(named).not.toEqual([]);
  });

  it('docs/operating/upgrade.md rolls back to a commit that the changelog names', () => {
    const [, commit] = /git switch --detach (\S+)/.exec(readPage('docs/operating/upgrade.md')) ?? [];

    expect(named.map((release) => release.commit)).toContain(commit);
  });

  describe.skipIf(noHistory !== null)(`in the history${noHistory === null ? '' : ` (${noHistory})`}`, () => {
    it.each(named)('commit $commit exists and has version $version', ({ version, commit }) => {
      const manifest = git('show', `${commit}:package.json`);

      expect(manifest, 'git has no such commit, or it has no package.json').toBeDefined();
      expect(z.object({ version: z.string() }).parse(JSON.parse(manifest ?? '')).version).toBe(version);
      expect(git('merge-base', '--is-ancestor', commit, 'HEAD'), 'it is in no history of HEAD').toBe('');
    });
  });
});
