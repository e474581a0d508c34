import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const examples = /<!-- example: ([^>]+) -->\n```json\n[\s\S]*?```/g;
const errors = /<!-- error: ([^>]+) -->\n```text\n[\s\S]*?```/g;

/** The names of the examples and errors on a page. */
function exampleNames(page: string): readonly string[] {
  return [...page.matchAll(/<!-- (?:example|error): ([^>]+) -->/g)].map(([, name = '']) => name);
}

/** The page with each example replaced by the value of its name, with line breaks. @throws Error for an unknown name */
function withExamples(page: string, values: Readonly<Record<string, unknown>>): string {
  return page.replaceAll(examples, (_whole, name: string) => {
    const value = JSON.stringify(namedValue(values, name), null, 2);
    return `<!-- example: ${name} -->\n\`\`\`json\n${value}\n\`\`\``;
  });
}

/**
 * The page with each error replaced by the text of its name, in lines of at most 76 characters.
 *
 * @throws Error for an unknown name
 */
function withErrors(page: string, texts: Readonly<Record<string, string | null>>): string {
  return page.replaceAll(errors, (_whole, name: string) => {
    const text = wrap(String(namedValue(texts, name)));
    return `<!-- error: ${name} -->\n\`\`\`text\n${text}\n\`\`\``;
  });
}

const howToRecord = 'Run `npm run record`, then review the page';

function wrap(text: string): string {
  return text.replaceAll(/(.{1,76})(?: |$)/g, '$1\n').trimEnd();
}

function namedValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  if (!Object.hasOwn(values, name)) throw new Error(`The page has an example without a value: ${name}`);
  return values[name];
}

/** Fails while a page does not show exactly these examples and errors, as the service makes them. */
export async function expectShown(
  page: string,
  values: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  const { path, text } = await readPage(page);
  const shown = withErrors(withExamples(text, values), texts);
  expect(exampleNames(text).toSorted()).toEqual([...Object.keys(values), ...Object.keys(texts)].toSorted());
  await expect(shown, howToRecord).toMatchFileSnapshot(path);
}

/** Fails while a page does not have a table of these rows between its marks of that name. The first row is the head. */
export async function expectTable(
  page: string,
  mark: string,
  [head = [], ...rows]: readonly (readonly string[])[],
): Promise<void> {
  const { path, text } = await readPage(page);
  const marked = new RegExp(`(?<=<!-- ${mark} -->\n\n)[^]*?(?=\n\n<!-- /${mark} -->)`);
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [lineOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(lineOf)].join('\n');
  expect(text).toMatch(marked);
  await expect(
    text.replace(marked, () => table),
    howToRecord,
  ).toMatchFileSnapshot(path);
}

/** A page of `docs/pages`, with its path. */
export async function readPage(name: string): Promise<{ readonly path: string; readonly text: string }> {
  const path = fileURLToPath(new URL(`../../../docs/pages/${name}`, import.meta.url));
  return { path, text: await readFile(path, 'utf8') };
}
