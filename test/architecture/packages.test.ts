import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSourceFiles } from './source-files.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    optionalDependencies: versions,
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(read('package.json'));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        integrity: z.string().optional(),
        inBundle: z.boolean().optional(),
        link: z.boolean().optional(),
        resolved: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        deprecated: z.string().optional(),
      }),
    ),
  })
  .parse(read('package-lock.json'));
/** Folders of the project that have packages of their own; the lock file also has a link to each. */
const workspaces = ['packages/cli', 'test/clients'];
const installed = Object.entries(lock.packages).filter(
  ([path, { link, resolved = '' }]) => path !== '' && !workspaces.includes(link ? resolved : path),
);

/** Where what is shipped begins: handlers, the console, the search of the documentation, and the published command. */
const shipped = /^(functions\/|console\/|site\/search\/find\.ts$|tools\/webhook-delivery\/package-main\.ts$)/;

/** What they import, over all files that they reach. */
function packagesOfShipped(): ReadonlySet<string> {
  const files = new Map(readSourceFiles().map((file) => [file.path, file]));
  const reached = new Set([...files.keys()].filter((path) => shipped.test(path)));
  // The bundles have it in place of the providers of credentials that the AWS SDK imports.
  reached.add('shared/aws/environment-credentials.ts');
  const packages = new Set<string>();
  for (const path of reached) {
    for (const { target, isPackage, isType } of files.get(path)?.imports ?? []) {
      if (isType || target.startsWith('node:')) continue;
      if (isPackage) packages.add(packageOf(target));
      else reached.add(target);
    }
  }
  return packages;
}

const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

describe('third-party packages', () => {
  it('packages have exact versions, else two installations differ', () => {
    const named = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
    const loose = named.flatMap(Object.entries).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));

    expect(loose).toEqual([]);
  });

  it('packages have a digest in the lock file, else a registry can change them', () => {
    const unproven = installed.filter(
      ([, { integrity, inBundle, link }]) => link === true || !(inBundle || integrity?.startsWith('sha512-')),
    );

    expect(installed.length).toBeGreaterThan(100);
    expect(unproven.map(([path]) => path)).toEqual([]);
  });

  it('only allowed packages run a script on installation', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);

    expect(scripted.map(([path]) => path.replace(/^.*node_modules\//, '')).toSorted()).toEqual(
      Object.keys(manifest.allowScripts).toSorted(),
    );
  });

  it('npm leaves out no package that the programs need, as it else does where NODE_ENV is production', () => {
    const listed = execFileSync('npm', ['ls', '--json', '--omit=dev', '--omit=optional'], { encoding: 'utf8' });
    const names = Object.keys(
      z.object({ dependencies: z.record(z.string(), z.unknown()) }).parse(JSON.parse(listed)).dependencies,
    );

    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.devDependencies)));
  });

  it('no package is deprecated, which the installation would not report', () => {
    const deprecated = installed.filter(([, entry]) => entry.deprecated !== undefined);

    expect(deprecated.map(([path, entry]) => `${path}: ${entry.deprecated}`)).toEqual([]);
  });

  it('workflows name actions by the hash of a commit, else their owners can change them', () => {
    const texts = globSync('.github/workflows/*.yml').map((path) => readFileSync(path, 'utf8'));
    const actions = texts.flatMap((text) => [...text.matchAll(/\buses: (.*)/g)].map(([, action = '']) => action));

    expect(actions).not.toEqual([]);
    expect(actions.filter((action) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('run-time packages, which are audited, are exactly those that are part of what the project ships', () => {
    expect([...packagesOfShipped()].toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  });
});
