import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundledFolders, filesFunctionFolder, operationFolder } from '#shared/contract/functions.ts';
import { engineCodes, type ProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import { isChange, isPublic, operationNames, publicPaths, routes } from '#shared/contract/routes.ts';

const functionsFolder = new URL('../../../functions/', import.meta.url);

describe('routes', () => {
  it('routes name each method and path once', () => {
    const names = operationNames.map((name) => `${routes[name].method} ${routes[name].path}`);

    expect(new Set(names).size).toBe(names.length);
  });

  it.each(operationNames)('%s raises only codes that an endpoint may raise', (name) => {
    expect(routes[name].problems.filter((code) => engineCodes.has(code))).toEqual([]);
  });

  it('each code that an operation may raise is one of every operation or is named by a route', () => {
    const named = new Set<ProblemCode>(operationNames.flatMap((name) => routes[name].problems));
    const common = [401, 403, 429, 500];
    const forgotten = problemCodeNames.filter(
      (code) => !named.has(code) && !engineCodes.has(code) && !common.includes(problemCodes[code].status),
    );

    expect(forgotten).toEqual([]);
  });

  it.each(operationNames.filter((name) => !isPublic(name)))(
    '%s carries the version in its path, and its folder has its name',
    (name) => {
      const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

      expect(routes[name].path).toMatch(/^\/v1\//);
      expect(operationFolder(name)).toBe(`api/${kebab}`);
    },
  );

  it('a credential that may only read is kept from these operations', () => {
    expect(operationNames.filter(isChange)).toEqual([
      'registerWebhook',
      'deleteWebhook',
      'rotateSecret',
      'replayDelivery',
      'sendExample',
      'createBulkReplay',
      'cancelBulkReplay',
    ]);
  });

  it.each(operationNames.filter((name) => isPublic(name)))('%s reads a published file', (name) => {
    expect(operationFolder(name)).toBe(filesFunctionFolder);
    expect(publicPaths).toContain(routes[name].path);
  });
});

it('bundledFolders are the folders with a handler', () => {
  const found = readdirSync(functionsFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('handler.ts'))
    .map((path) => path.replace(/\/handler\.ts$/, ''));

  expect(found.toSorted()).toEqual(bundledFolders.toSorted());
});
