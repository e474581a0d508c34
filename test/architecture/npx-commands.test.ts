import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import cli from '../../packages/cli/package.json' with { type: 'json' };
import { entries } from '../../tools/webhook-delivery/commands.ts';

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const find = (...patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: repositoryRoot })
    .filter((path) => !path.includes('node_modules') && !path.endsWith('npx-commands.test.ts'))
    .toSorted();

/** Programs of direct dependencies, which `npm ci` installs. */
const installed: ReadonlySet<string> = programsOfDependencies();

function programsOfDependencies(): ReadonlySet<string> {
  const versions = z.record(z.string(), z.string());
  const manifest = z
    .object({ dependencies: versions, devDependencies: versions })
    .parse(JSON.parse(read('package.json')));
  const lock = z
    .object({
      packages: z.record(z.string(), z.object({ bin: z.record(z.string(), z.string()).optional() })),
    })
    .parse(JSON.parse(read('package-lock.json')));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return new Set(names.flatMap((name) => Object.keys(lock.packages[`node_modules/${name}`]?.bin ?? {})));
}

const runner = /\b(?:npx|pnpx|bunx|npm (?:exec|x)|(?:pnpm|yarn) dlx)\s+((?:-[\w=@./-]*\s+)*)(@?\w[\w@./-]*)/g;

/** Commands with which npm may fetch a package that a stranger owns, and run it. */
function risky(text: string, allowed: ReadonlySet<string>): readonly string[] {
  return [...text.replaceAll(/\\\n\s*/g, '').matchAll(runner)]
    .filter(([, options = '', name = '']) => {
      if (Object.keys(cli.bin).includes(name)) return true;
      // `npx --no NAME` takes the name as the value of an option that npm does not know.
      return !/--no-install\s|--no\s+--\s/.test(options) && !allowed.has(name);
    })
    .map(([command]) => command.replaceAll(/\s+/g, ' '));
}

/** What is in code style on a page: blocks, then words in a text. */
function codeOf(page: string): string {
  const [text, blocks] = [page.replaceAll(/^ *```.*?^ *```$/gms, ''), page.match(/^ *```.*?^ *```$/gms) ?? []];
  return [...blocks, ...[...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span)].join('\n;\n');
}

const nothing: ReadonlySet<string> = new Set();

/** Readers of these may have no clone. A deployment serves the pages and the changelog. */
const forCustomers = find('CHANGELOG.md', '{docs/pages,packages,examples}/**/*.md');

const forOthers = find('*.md', '.github/**/*.{md,yml}', '{docs,stages,test,tools}/**/*.md').filter(
  (path) => !forCustomers.includes(path),
);
const sources = find('{bin,console,examples,functions,lib,packages,shared,test,tools}/**/*.{ts,tsx,mjs,go,py}');

describe('npx runs no package that a stranger may own', () => {
  it.each([
    ['pages for customers', forCustomers, codeOf, nothing],
    ['other pages', forOthers, codeOf, installed],
    ['errors and comments', sources, (text: string) => text, installed],
  ])('in %s', (_kind, paths, textOf, allowed) => {
    const found = paths.flatMap((path) => risky(textOf(read(path)), allowed).map((hit) => `${path}: ${hit}`));

    expect(paths.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });

  it.each(entries)('in the help texts of $name', async ({ load }) => {
    const on = vi.spyOn(process, 'on').mockReturnValue(process);
    const { command } = await load().finally(() => on.mockRestore());

    expect(helpsOf(command)).toContain('--help');
    expect(risky(helpsOf(command), installed)).toEqual([]);
  });

  it('in the scripts for completion, which add only what help texts say', () => {
    const scripts = find('tools/webhook-delivery/shells/*').map(read);

    expect(scripts).toHaveLength(3);
    expect(scripts.flatMap((script) => risky(script, nothing))).toEqual([]);
  });
});

/** The help of a command and of all below it. */
function helpsOf(command: Command): string {
  const printed: string[] = [];
  command.configureOutput({ writeOut: (text) => printed.push(text) }).outputHelp();
  return [...printed, ...command.commands.map(helpsOf)].join('\n');
}

describe('risky()', () => {
  it.each([
    'npx webhooks verify',
    'source <(npx webhooks completion bash)',
    'npx\nwebhooks admin',
    'npx --yes webhooks',
    'npx --no webhooks --help',
    'npx --no-install webhook-delivery verify',
    'npx \\\n  webhooks',
    'npm exec -- webhooks',
    'npx @scope/name@1.2.3',
  ])('finds %j', (text) => {
    expect(risky(text, installed)).toHaveLength(1);
  });

  it.each(['npx cdk diff', 'npx --no-install jest', 'npx --no -- jest', 'with npx, a shell', 'npm run x'])(
    'allows %j',
    (text) => {
      expect(risky(text, installed)).toEqual([]);
    },
  );

  it('reads the code of a page, not its sentences', () => {
    expect(risky(codeOf('npx finds `npx a` and\n```sh\nnpx b\n```\n'), nothing)).toEqual(['npx b', 'npx a']);
  });
});
