import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isPublic, operationNames, routes } from '#shared/contract/routes.ts';

const page = fileURLToPath(new URL('../../../docs/index.md', import.meta.url));

it('docs/index.md lists every operation of the API', async () => {
  const rows = operationNames
    .filter((name) => !isPublic(name))
    .map((name) => `| \`${routes[name].method} ${routes[name].path}\` | ${routes[name].summary} |`);
  const table = ['| Operation | Effect |', '|---|---|', ...rows].join('\n');
  const marked = /(<!-- operations -->\n)[\s\S]*?(\n<!-- \/operations -->)/;
  const text = readFileSync(page, 'utf8');

  expect(text).toMatch(marked);
  await expect(text.replace(marked, `$1\n${table}\n$2`)).toMatchFileSnapshot(page);
});
