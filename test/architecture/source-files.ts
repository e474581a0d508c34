import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['bin', 'lib', 'functions', 'shared', 'console', 'packages', 'site', 'tools', 'test'];

/** Written by a program, so its length and shape are no one's choice. */
const generated = ['packages/api-client/schema.ts'];

/** One import, re-export or dynamic import. */
export type Import = {
  /** A path from the root of the project, or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
  /** Whether the whole import disappears when types are stripped. */
  readonly isType: boolean;
};

export type SourceFile = {
  /** From the root of the project, with forward slashes. */
  readonly path: string;
  /** The text without comments. */
  readonly code: string;
  readonly lines: number;
  readonly imports: readonly Import[];
};

/** Every TypeScript file of the project. */
export function readSourceFiles(): readonly SourceFile[] {
  return folders.flatMap((folder) => listFiles(folder, /\.tsx?$/).map(readSourceFile));
}

/** Every TypeScript file, script and stylesheet of a folder, with its comments. */
export function readTexts(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return listFiles(folder, /\.(tsx?|m?js|css)$/).map((file) => ({ path: file, text: readText(file) }));
}

function listFiles(folder: string, ending: RegExp): readonly string[] {
  try {
    const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => ending.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => !generated.includes(file));
  } catch {
    return [];
  }
}

function readSourceFile(file: string): SourceFile {
  const text = readText(file);
  const code = withoutComments(text);
  return { path: file, code, lines: text.trimEnd().split('\n').length, imports: scanImports(file, code) };
}

const readText = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Comments that begin a line or follow a space: enough for formatted code, and blind to `https://` in strings. */
export function withoutComments(text: string): string {
  return text.replace(/(^|\s)\/\*[\s\S]*?\*\//g, '$1').replace(/(^|\s)\/\/.*$/gm, '$1');
}

const statements = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamicImports = /\bimport\(\s*['"]([^'"]+)['"]/g;

export function scanImports(file: string, code: string): readonly Import[] {
  return [
    ...[...code.matchAll(statements)].map(([, type, target = '']) => toImport(file, target, type !== undefined)),
    ...[...code.matchAll(dynamicImports)].map(([, target = '']) => toImport(file, target, false)),
  ];
}

function toImport(file: string, target: string, isType: boolean): Import {
  if (target.startsWith('#')) return { target: target.slice(1), isPackage: false, isType };
  return target.startsWith('.')
    ? { target: path.posix.join(path.posix.dirname(file), target), isPackage: false, isType }
    : { target, isPackage: true, isType };
}
