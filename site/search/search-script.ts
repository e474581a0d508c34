import { build } from 'esbuild';
import { forBrowsers } from '../browser-files.ts';
import type { Section } from './sections.ts';

/**
 * One script with the field's behaviour, the library and the texts of all sections. Browsers make the index: with it,
 * the script would be nearly twice as large.
 */
export async function searchScript(sections: readonly Section[]): Promise<string> {
  const { outputFiles } = await build({
    ...forBrowsers,
    stdin: {
      contents: `import { startSearch } from '../assets/search.js';\nstartSearch(${JSON.stringify(sections)});`,
      resolveDir: import.meta.dirname,
    },
    format: 'esm',
  });
  return outputFiles.map(({ text }) => text).join('');
}
