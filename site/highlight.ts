import { createRequire } from 'node:module';
import * as z from 'zod';
import { escapeHtml } from './html.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** The parts of highlight.js in use. Its own types bring those of browsers, which contradict those of Node. */
const highlighterSchema = z.object({
  registerLanguage: z.custom<(name: string, language: unknown) => void>(isFunction),
  getLanguage: z.custom<(name: string) => unknown>(isFunction),
  highlight: z.custom<(code: string, options: { readonly language: string }) => unknown>(isFunction),
});

const require = createRequire(import.meta.url);
const highlighter = highlighterSchema.parse(require('highlight.js/lib/common'));
for (const name of ['http', 'elixir']) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
}

/** A block of code. `language` is the name or an alias after the fence; an unknown name leaves the code plain. */
export function codeBlock(code: string, language: string): string {
  // Focusable, so that the keyboard can scroll it.
  return `<div class="code"><pre tabindex="0"><code>${highlighted(code.trimEnd(), language)}</code></pre></div>\n`;
}

export function jsonBlock(value: unknown): string {
  return codeBlock(JSON.stringify(value, null, 2), 'json');
}

function highlighted(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return z.object({ value: z.string() }).parse(highlighter.highlight(code, { language })).value;
}
