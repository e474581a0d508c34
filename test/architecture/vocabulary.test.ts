import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Words and phrases that make a reader translate, each with the wording to use. `|` separates forms. */
const replacements: Readonly<Record<string, string>> = {
  'mend|mends|mended|mending|unmended': 'fix, repair',
  'dear|dearer': 'expensive',
  'whoever|whomever': 'name the person or the program',
  'so many': 'name the number or the limit',
  anew: 'again',
  midst: 'during, in the middle',
  'of ours': "the service's",
  'come of it|comes of it|came of it|comes of that': 'the result',
  'what comes of|what came of|what becomes of|what became of': 'the result of',
  'is not so now|until something is so': 'name the state',
  'be had': 'be available',
  'shake hands|shakes hands|shook hands|shaking hands': 'send a test event, complete the handshake',
  'its fellows|his fellows|their fellows': 'the others',
  'hither|thither|whence|thence': 'here, there, from there',
  'thereof|therein|whereof|wherein': 'of it, in it',
  henceforth: 'from now on',
  'be it': 'whether',
  'come again|comes again|came again': 'return, be delivered again',
  'for want of': 'without',
  'there is no such': 'the … does not exist',
  'spoken of': 'mentioned, named',
  'told of': 'called with, notified about',
  'taken for|takes for': 'treated as',
  'hands on|hands over': 'passes',
  'at one stroke': 'atomically',
};

const files = globSync([
  '*.{md,ts,json}',
  '.github/**/*.{md,yml}',
  '{bin,console,docs,examples,functions,lib,packages,shared,stages,test,tools}/**/*.{ts,tsx,mjs,md,py,go}',
]).filter(
  (path) =>
    !path.includes('node_modules') &&
    !/^(package-lock\.json$|packages\/api-client\/schema\.ts$|docs\/permissions\.md$|test\/(vectors|fixtures|infra\/releases)\/)/.test(
      path,
    ) &&
    !path.endsWith('architecture/vocabulary.test.ts'),
);

type Term = { readonly pattern: RegExp; readonly instead: string };

const terms: readonly Term[] = Object.entries(replacements).map(([forms, instead]) => ({
  pattern: patternOf(forms),
  instead,
}));

/** Whole words. Between two words of a phrase, a line may end and a comment or a string may continue. */
function patternOf(forms: string): RegExp {
  return new RegExp(`(?<![\\w-])(?:${forms.replaceAll(' ', String.raw`[\s*/'+\x60#]+`)})(?![\\w-])`, 'gi');
}

function findTerms(text: string): readonly string[] {
  return terms.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${line}: write "${instead}" instead of "${found}"`;
    }),
  );
}

describe('the vocabulary of code and pages', () => {
  it('code and pages use plain English, else readers have to translate', () => {
    const found = files
      .toSorted()
      .flatMap((path) => findTerms(readFileSync(path, 'utf8')).map((hit) => `${path}:${hit}`));

    expect(files.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });
});

describe('findTerms()', () => {
  it('finds each form, in any letter case and across the lines of a comment or a string, and no longer word', () => {
    const texts = ['// a part of\n// ours', '/** a part of\n   * ours */', "'a part of ' +\n  'ours'"];

    expect(findTerms('Fix it.\nMended, and signed anew')).toEqual([
      '2: write "fix, repair" instead of "Mended"',
      '2: write "again" instead of "anew"',
    ]);
    expect(texts.map((text) => findTerms(text).length)).toEqual([1, 1, 1]);
    expect(findTerms('recommended, signedAnew, may be items, so-many')).toEqual([]);
  });
});
