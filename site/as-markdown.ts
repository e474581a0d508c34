import { engineCodes, type ProblemCode } from '#shared/contract/problem-codes.ts';
import type { ProblemText } from './openapi/problems.ts';
import { errorPath, errorsPath, type ListedPage, pageGroups, relativeUrl, siteLink } from './page-list.ts';
import type { OpenApi } from './reference/open-api.ts';

/** A list of everything for language models, at the root. */
export const llmsFile = 'llms.txt';

/** The link between brackets and parentheses; its text can have line breaks. */
const links = /\[([^\]]*)\]\(([^)\s]+)\)/g;

/** A block of code, which stays as it is. */
const fences = /^(```[\s\S]*?^```)$/m;

/**
 * A Markdown page as the site serves it: links lead to the Markdown of other pages, and comments are left out. A link
 * to a file that is not on the site keeps its text.
 */
export function servedMarkdown(text: string, page: ListedPage): string {
  return text
    .split(fences)
    .map((part) => (part.startsWith('```') ? part : translated(part, page)))
    .join('');
}

function translated(text: string, page: ListedPage): string {
  return text.replaceAll(/<!--[\s\S]*?-->\n*/g, '').replaceAll(links, (_link, name: string, target: string) => {
    const translatedTarget = siteLink(page, target);
    return translatedTarget === undefined ? name : `[${name}](${withEnding(translatedTarget)})`;
  });
}

function withEnding(target: string): string {
  return /^(\w+:|#)/.test(target) ? target : target.replace(/^[^#]+/, '$&.md');
}

export function problemMarkdown({ code, status, title, meaning, retry, fix, example }: ProblemText): string {
  const parts = [
    `# ${title}`,
    `\`${code}\`, HTTP ${status}`,
    `## What happened\n\n${meaning}`,
    `## May I retry\n\n${retry}`,
    `## How to fix it\n\n${fix}`,
    `## Example\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The sections that the page about errors ends with. */
export function codesMarkdown(texts: readonly ProblemText[]): string {
  const list = (title: string, isListed: (code: ProblemCode) => boolean) =>
    `\n### ${title}\n\n${texts
      .filter(({ code }) => isListed(code))
      .map(({ code, status, title: text }) => {
        const target = `${relativeUrl(errorsPath, errorPath(code))}.md`;
        return `- [\`${code}\`](${target}): ${status}, ${text}\n`;
      })
      .join('')}`;
  return (
    list('Codes of the API', (code) => !engineCodes.has(code)) +
    list('Codes inside a Run', (code) => engineCodes.has(code))
  );
}

/** The operations and events in one line each. Programs read the OpenAPI document for the rest. */
export function referenceMarkdown({ info, tags, paths, webhooks }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags: named, summary }]) => ({
      tag: named[0],
      line: `- \`${method.toUpperCase()} ${path}\`: ${summary}\n`,
    })),
  );
  const sections = tags.flatMap(({ name }) => {
    const lines = operations.filter(({ tag }) => tag === name).map(({ line }) => line);
    return lines.length === 0 ? [] : [`## ${name}\n\n${lines.join('')}`];
  });
  const events = Object.keys(webhooks).map((name) => `- \`${name}\`\n`);
  return [
    `# API reference\n\n${info.summary}\n`,
    'Parameters, bodies and schemas are in the [OpenAPI document](../openapi.json).\n',
    ...sections,
    `## Events\n\n${events.join('')}`,
  ].join('\n');
}

/** Every page with its description, in the form that llmstxt.org proposes. Links start at the root. */
export function llmsText(drafts: readonly { readonly path: string; readonly description: string }[]): string {
  const descriptions = new Map(drafts.map(({ path, description }) => [path, description]));
  const groups = pageGroups.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.path}.md): ${descriptions.get(page.path)}\n`);
    return `## ${title}\n\n${lines.join('')}`;
  });
  return [
    '# Webhook delivery\n',
    `> ${descriptions.get('docs/index')}\n`,
    'Each page of the documentation is Markdown at its address with the ending `.md`, and the page of a problem code at\n' +
      '`docs/errors/<code>.md`. [openapi.json](openapi.json) describes the API.\n',
    ...groups,
  ].join('\n');
}
