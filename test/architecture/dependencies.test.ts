import { describe, expect, it } from 'vitest';
import { exceptions, type ImportRule, importRules } from './import-rules.ts';
import {
  type Import,
  readSourceFiles,
  readTexts,
  type SourceFile,
  scanImports,
  withoutComments,
} from './source-files.ts';

const files = readSourceFiles();
const below = (...folders: string[]) =>
  files.filter((file) => folders.some((folder) => file.path.startsWith(`${folder}/`)));

/** `functions/api/get-webhook`, `shared/domain`, `shared/aws/table`, `lib`: the largest folder that one rule speaks of. */
function partOf(path: string): string {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top === 'functions' && second !== 'wiring') return [top, second, third].join('/');
  const [own] = ['site/openapi', 'shared/aws/table'].filter((folder) => path.startsWith(`${folder}/`));
  if (own !== undefined) return own;
  const hasParts = ['shared', 'functions', 'tools', 'packages'].includes(top);
  return hasParts ? `${top}/${second}` : path.includes('/') ? top : path;
}

function ruleOf(file: SourceFile): ImportRule | undefined {
  const part = partOf(file.path);
  return importRules.find((rule) => rule.part === part) ?? importRules.find((rule) => part.startsWith(`${rule.part}/`));
}

const matches = (allowed: readonly string[], name: string, open: '/' | '*') =>
  allowed.some((entry) => (entry.endsWith(open) ? name.startsWith(entry.replace(/\*$/, '')) : name === entry));

function isAllowed(rule: ImportRule, file: SourceFile, edge: Import): boolean {
  if (edge.isPackage) {
    return (
      matches(rule.packages, edge.target, '*') || (edge.isType && matches(rule.typesOfPackages ?? [], edge.target, '*'))
    );
  }
  const part = partOf(edge.target);
  if (part === partOf(file.path)) return true;
  return matches(rule.parts, part, '/') || (edge.isType && matches(rule.typesOf ?? [], part, '/'));
}

const isExcepted = (file: SourceFile, edge: Import) =>
  exceptions.some(({ from, target }) => from === file.path && target === edge.target);

const describeEdge = (file: SourceFile, edge: Import) =>
  `${file.path} imports ${edge.isType ? 'types of ' : ''}${edge.target}`;

describe('the direction of imports', () => {
  for (const rule of importRules) {
    it(`imports of ${rule.part} follow its rule, else ${rule.why}`, () => {
      const ruled = files.filter((file) => ruleOf(file) === rule);
      const broken = ruled.flatMap((file) =>
        file.imports
          .filter((edge) => !isAllowed(rule, file, edge) && !isExcepted(file, edge))
          .map((edge) => describeEdge(file, edge)),
      );

      expect(ruled).not.toEqual([]);
      expect(broken).toEqual([]);
    });
  }

  it('the product names no file of the workshop, else a deployment needs the programs of its developers', () => {
    const named = /['"](\.\.?\/)*(tools|test)\//;
    const product = ['lib', 'functions', 'shared', 'console', 'site', 'packages'];
    const users = product.flatMap((folder) => readTexts(folder)).filter(({ text }) => named.test(text));

    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('every file that runs or deploys has an import rule, else new folders have none', () => {
    const unruled = files.filter((file) => !file.path.startsWith('test/') && ruleOf(file) === undefined);

    expect(unruled.map(({ path }) => path)).toEqual([]);
  });

  it('imports name existing files with their ending, else types are stripped to a broken import', () => {
    const known = new Set(files.map(({ path }) => path));
    const isOther = (target: string) => /\.(json|css)$|^packages\/api-client\/schema\.ts$/.test(target);
    const broken = files.flatMap((file) =>
      file.imports
        .filter(({ isPackage, target }) => !isPackage && !known.has(target) && !isOther(target))
        .map((edge) => describeEdge(file, edge)),
    );

    expect(broken).toEqual([]);
  });

  it('every import exception is needed, else the list hides the next one', () => {
    const stale = exceptions.filter(
      ({ from, target }) =>
        !files.some((file) => file.path === from && file.imports.some((edge) => edge.target === target)),
    );

    expect(stale).toEqual([]);
  });

  it('the groups of operations share at most eight imports, else they are one group', () => {
    const groupOf = (path: string) => /^shared\/operations\/(\w+)\//.exec(path)?.[1];
    const arrows = files.flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) => {
        const [from, to] = [groupOf(path), groupOf(target)];
        return from && to && from !== to ? [`${path} -> ${target}`] : [];
      }),
    );

    expect(arrows.length, arrows.join('\n')).toBeLessThanOrEqual(8);
  });

  it('imports have no cycles, else no file of a cycle can be read, tested or moved without the others', () => {
    const edges = new Map(
      files.map((file) => [file.path, file.imports.filter(({ isPackage }) => !isPackage).map(({ target }) => target)]),
    );

    expect(findCycle(edges)).toEqual([]);
  });
});

describe('what only one part may use', () => {
  it('only shared/aws uses the AWS SDK, else the errors and clients of a vendor spread into the rules', () => {
    const users = files
      .filter((file) => !/^(shared\/aws|test|tools\/conformance)\//.test(file.path))
      .filter((file) => file.imports.some(({ target }) => /^@(aws-sdk|smithy)\//.test(target)));

    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('readers of rows are made with reads(), else an unreadable row makes its whole list fail', () => {
    // What these parse by themselves are keys, which are text in every row.
    const keysOnly = [
      'stored-row',
      'result-pages',
      'delivery-pages',
      'waiting',
      'audit-reads',
      // A faulty attribute beside the keys counts as absent.
      'erase-customer',
      'row-owner',
    ];
    const users = below('shared/aws/table').filter(({ code }) => /\.(safeParse|parse)\(/.test(code));

    const names = users.map(({ path }) => path.replace(/^.*\/(.+)\.ts$/, '$1'));
    expect(names.filter((name) => !keysOnly.includes(name))).toEqual([]);
  });

  it('only shared/http opens sockets to customers, else a connection escapes the check of addresses', () => {
    const network = /^(node:)?(http|https|http2|net|tls|dns|dns\/promises|dgram)$|^(undici|axios|got|ky|node-fetch)$/;
    // It has the connections of the AWS clients.
    const exception = 'shared/aws/kept-connections.ts';
    const outside = below('shared', 'functions').filter(
      ({ path }) => !path.startsWith('shared/http/') && path !== exception,
    );
    const users = outside.filter(
      (file) =>
        file.imports.some(({ target }) => network.test(target)) ||
        /\bfetch\(|\bnew (WebSocket|EventSource)\b|\bgetBuiltinModule\(/.test(file.code),
    );

    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('domain, operations and contract use no clock, randomness or process, else a test cannot pass its own', () => {
    const impure =
      /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(|\bMath\.random\b|\brandomUUID\b|\bperformance\.|\bTemporal\.Now\b|\bprocess\.|\bconsole\.|\bset(Timeout|Interval|Immediate)\b|\bcrypto\.getRandomValues\b/;
    const users = below('shared/domain', 'shared/operations', 'shared/contract').filter(({ code }) =>
      impure.test(code),
    );

    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('only shared/runtime reads the environment, else the variables of a function are unknown', () => {
    // Every client has the time that the local stack sets; Lambda never sets it.
    const exception = 'shared/aws/client-settings.ts';
    const readers = below('shared', 'functions')
      .filter(({ path }) => !path.startsWith('shared/runtime/') && path !== exception)
      .filter(({ code }) => /\bprocess\.env\b/.test(code));

    expect(readers.map(({ path }) => path)).toEqual([]);
  });
});

describe('the shape of files', () => {
  it('files outside tests have at most 250 lines, else they have more than one subject', () => {
    const long = files.filter(({ path, lines }) => !path.startsWith('test/') && lines > 250);

    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  it('file names are in kebab case, else two systems disagree about the name of a file', () => {
    const odd = files.filter(
      ({ path }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)+[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.tsx?$/.test(path),
    );

    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

describe('scanImports()', () => {
  const scan = (code: string) =>
    scanImports('shared/aws/table/keys.ts', withoutComments(code)).map(
      ({ target, isType }) => `${isType ? 'type ' : ''}${target}`,
    );

  it.each([
    ["import { a } from '../clients.ts';", ['shared/aws/clients.ts']],
    ["import type { A } from './a.ts';", ['type shared/aws/table/a.ts']],
    ["import { type A, b } from './a.ts';", ['shared/aws/table/a.ts']],
    ["import {\n  a,\n  b,\n} from '../../domain/a.ts';", ['shared/domain/a.ts']],
    ["import { a } from '#shared/domain/a.ts';", ['shared/domain/a.ts']],
    ["import * as z from 'zod';", ['zod']],
    ["import './effect.ts';", ['shared/aws/table/effect.ts']],
    ["export { a } from './a.ts';", ['shared/aws/table/a.ts']],
    ["export type { A } from './a.ts';", ['type shared/aws/table/a.ts']],
    ["import a from './a.json' with { type: 'json' };", ['shared/aws/table/a.json']],
    [`const a = await ${'import'}('./a.ts');`, ['shared/aws/table/a.ts']],
    ["import { a } from './a.ts';\nimport { b } from './b.ts';", ['shared/aws/table/a.ts', 'shared/aws/table/b.ts']],
    ["export const url = 'https://example.com';", []],
    ["// import { a } from './a.ts';", []],
    ["/* import { a } from './a.ts'; */", []],
  ])('reads %j as %j', (code, targets) => {
    expect(scan(code)).toEqual(targets);
  });

  it('the scan covers the files of the project', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(100);
  });
});

describe('findCycle()', () => {
  it('returns one cycle, or none without a cycle', () => {
    const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

    expect(findCycle(graph({ a: ['b', 'c'], b: ['c'], c: [] }))).toEqual([]);
    expect(findCycle(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b', 'c', 'b']);
    expect(findCycle(graph({ a: ['a'] }))).toEqual(['a', 'a']);
  });
});

/** The files along one cycle, the first again at the end; empty when there is none. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const target of edges.get(file) ?? []) {
      const cycle = visit(target, [...trail, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of edges.keys()) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
