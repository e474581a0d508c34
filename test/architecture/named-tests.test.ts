import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allMutants } from '../simulation/mutants/all-mutants.ts';
import { faultKinds } from '../simulation/world/faults.ts';
import { withoutComments } from './source-files.ts';
import { hasTitle, markdownTables, namedFiles, namedTests } from './test-titles.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** A table whose last column has this name must name a test in each row. */
const provedBy = 'Proved by';

const pages = ['docs/proofs/security.md', 'docs/proofs/reliability.md'].map((path) => {
  const text = read(path);
  const tables = markdownTables(text).filter(({ header }) => header.at(-1) === provedBy);
  return { path, text, tables, rows: tables.flatMap(({ rows }) => rows) };
});

const exists = (path: string): boolean => existsSync(new URL(path, root));

/** The names in backticks in the cells of a column. */
function namesIn(column: string): readonly string[] {
  return pages
    .flatMap(({ tables }) => tables)
    .flatMap(({ header, rows }) => rows.map(({ cells }) => cells[header.indexOf(column)] ?? ''))
    .flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** The promises that the simulator checks. */
function promises(): ReadonlySet<string> {
  const folder = 'test/simulation/invariants/';
  const sources = readdirSync(new URL(folder, root)).map((name) => read(`${folder}${name}`));
  const declared = sources.flatMap((source) => [...source.matchAll(/^ {2}\*(\w+)\(/gm)]);
  declared.push(...read('test/simulation/world/world.ts').matchAll(/\bviolate\('(\w+)'/g));
  return new Set(declared.map(([, name = '']) => name));
}

/** The faults and actions of the simulator. */
function happenings(): ReadonlySet<string> {
  const actions = read('test/simulation/world/script.ts').matchAll(/\bdo: '(\w+)'/g);
  return new Set([...Object.values(faultKinds).flat(), ...[...actions].map(([, name = '']) => name)]);
}

describe.each(pages)('$path', ({ text, tables, rows }) => {
  it('the page has a table that names tests as proofs', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(namedTests(text).length).toBeGreaterThan(rows.length);
  });

  it('the page names a test in every row, and fills every column', () => {
    const unproved = rows.filter(({ cells }) => namedTests(cells.at(-1) ?? '').length === 0);
    const uneven = tables.flatMap(({ header, rows: own }) => own.filter(({ cells }) => cells.length !== header.length));

    expect(unproved.map(({ line }) => line)).toEqual([]);
    expect(uneven.map(({ line }) => line)).toEqual([]);
  });

  it('the page names only files that exist, and tests with their present title', () => {
    const noFile = namedFiles(text).filter((file) => !exists(file));
    const noTest = namedTests(text).filter(
      ({ file, title }) => exists(file) && !hasTitle(withoutComments(read(file)), title),
    );

    expect(noFile).toEqual([]);
    expect(noTest).toEqual([]);
  });

  it('the page names every test with its title', () => {
    const inRows = rows.flatMap(({ cells }) => namedFiles(cells.at(-1) ?? ''));
    const withTitle = new Set(namedTests(text).map(({ file }) => file));

    expect(inRows.filter((file) => !withTitle.has(file))).toEqual([]);
  });

  it('the page names mutants that the simulator has', () => {
    const known = new Set(allMutants.map(({ name }) => name));
    const named = [...text.matchAll(/mutant "([^"]+)"/g)].map(([, name = '']) => name);

    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('docs/proofs/reliability.md about the simulator', () => {
  it('the page names every fault, and only faults and actions that exist', () => {
    const known = happenings();
    const named = new Set(namesIn('Faults'));
    const faults: readonly string[] = Object.values(faultKinds).flat();

    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    expect(faults.filter((name) => !named.has(name))).toEqual([]);
  });

  it('the page names promises that the simulator checks', () => {
    const known = promises();
    const named = namesIn('Promises');

    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
