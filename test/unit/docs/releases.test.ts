import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { repositoryRoot } from '../../../lib/build/bundle.ts';
import { git, noHistory, releases } from '../../support/releases/history.ts';

const readPage = (name: string): string => readFileSync(join(repositoryRoot, name), 'utf8');

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
