import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bundledFolders,
  filesFunctionFolder,
  functionFolders,
  operationFolder,
  smokeFunctionFolder,
} from '#shared/contract/functions.ts';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import { operationNames, publicPaths, routes } from '#shared/contract/routes.ts';

const functionsFolder = new URL('../../../functions/', import.meta.url);

describe('routes', () => {
  it('routes name each method and path once', () => {
    const names = operationNames.map((name) => `${routes[name].method} ${routes[name].path}`);

    expect(new Set(names).size).toBe(names.length);
  });

  it.each(operationNames)('%s raises only codes that an endpoint may raise', (name) => {
    expect(routes[name].problems.filter((code) => problemCodes[code].raisedBy !== 'api')).toEqual([]);
  });

  it.each(operationNames.filter((name) => routes[name].access === 'customer'))(
    '%s carries the version in its path',
    (name) => {
      expect(routes[name].path).toMatch(/^\/v1\//);
    },
  );
});

describe('functionFolders', () => {
  it('functionFolders are the folders with a handler, and no others but that of the smoke test', () => {
    const groups = ['api', 'operator', 'queue', 'schedule', 'smoke'];
    const found = groups.flatMap((group) =>
      readdirSync(new URL(group, functionsFolder)).map((name) => `${group}/${name}`),
    );

    expect(new Set([...functionFolders, smokeFunctionFolder])).toEqual(new Set(found));
    expect(
      bundledFolders.filter((folder) => !existsSync(new URL(`${folder}/handler.ts`, functionsFolder))),
    ).toEqual([]);
  });

  it.each(operationNames.filter((name) => routes[name].access === 'customer'))(
    'the folder of %s has the name of its operation',
    (name) => {
      const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

      expect(operationFolder(name)).toBe(`api/${kebab}`);
    },
  );

  it.each(operationNames.filter((name) => routes[name].access === 'public'))(
    '%s reads a published file',
    (name) => {
      expect(operationFolder(name)).toBe(filesFunctionFolder);
      expect(publicPaths).toContain(routes[name].path);
    },
  );
});
