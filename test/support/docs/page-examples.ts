import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const examples = /<!-- example: ([^>]+) -->\n```json\n[\s\S]*?```/g;
const errors = /<!-- error: ([^>]+) -->\n```text\n[\s\S]*?```/g;

/** The names of the examples on a page, in order. */
export function exampleNames(page: string): readonly string[] {
  return [...page.matchAll(/<!-- example: ([^>]+) -->/g)].map(([, name = '']) => name);
}

/** The page with each example replaced by the value of its name, with line breaks. @throws Error for an unknown name */
export function withExamples(page: string, values: Readonly<Record<string, unknown>>): string {
  return page.replaceAll(examples, (_whole, name: string) => {
    const value = JSON.stringify(namedValue(values, name), null, 2);
    return `<!-- example: ${name} -->\n\`\`\`json\n${value}\n\`\`\``;
  });
}

/** The page with each error replaced by the text of its name, in lines of at most 76 characters. @throws Error for an unknown name */
export function withErrors(page: string, texts: Readonly<Record<string, string | null>>): string {
  return page.replaceAll(errors, (_whole, name: string) => {
    const text = wrap(String(namedValue(texts, name)));
    return `<!-- error: ${name} -->\n\`\`\`text\n${text}\n\`\`\``;
  });
}

function wrap(text: string): string {
  return text.replaceAll(/(.{1,76})(?: |$)/g, '$1\n').trimEnd();
}

function namedValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  if (!Object.hasOwn(values, name)) throw new Error(`The page has an example without a value: ${name}`);
  return values[name];
}

/** A page of `docs/pages`, with its path. */
export async function readPage(name: string): Promise<{ readonly path: string; readonly text: string }> {
  const path = fileURLToPath(new URL(`../../../docs/pages/${name}`, import.meta.url));
  return { path, text: await readFile(path, 'utf8') };
}
