import MarkdownIt, { type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import githubAlerts from 'markdown-it-github-alerts';
import { codeBlock } from './highlight.ts';
import { escapeHtml, selfLink, tableClose, tableOpen } from './html.ts';
import { type ListedPage, problemLink, siteLink } from './page-list.ts';
import { markTabs } from './tabs.ts';

export type Heading = { readonly level: number; readonly id: string; readonly text: string };

export type RenderedMarkdown = {
  readonly title: string;
  /** The first paragraph, without markup. */
  readonly description: string;
  /** The first paragraph, with markup; empty when the page starts with something else. */
  readonly lead: string;
  /** What follows the title and the first paragraph. */
  readonly html: string;
  /** Headings below the title. */
  readonly headings: readonly Heading[];
};

const parser = makeParser();

function makeParser() {
  const made = new MarkdownIt({ html: true })
    .use(anchor, { slugify, level: 2, tabIndex: false, permalink: linkHeading })
    .use(githubAlerts, { matchCaseSensitive: true });
  made.renderer.rules.fence = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    return codeBlock(content, info.trim().split(/\s+/)[0] ?? '');
  };
  made.renderer.rules.code_inline = (tokens, index) => `<code>${escapeHtml(tokens[index]?.content ?? '')}</code>`;
  made.renderer.rules.code_block = (tokens, index) => codeBlock(tokens[index]?.content ?? '', '');
  made.renderer.rules.heading_open = (tokens, index, options, _environment, renderer) =>
    `${tokens[index]?.meta?.before ?? ''}${renderer.renderToken(tokens, index, options)}`;
  made.renderer.rules.alert_open = (tokens, index) => {
    const { type: kind, title } = tokens[index]?.meta ?? {};
    if (String(title).toLowerCase() !== kind) throw new Error(`Cannot render text beside the marker: ${title}`);
    return `<div class="callout ${kind === 'caution' ? 'warning' : kind}">\n`;
  };
  made.renderer.rules.table_open = () => `${tableOpen}<table>\n`;
  made.renderer.rules.table_close = () => `</table>${tableClose}\n`;
  made.renderer.rules.th_open = (tokens, index) => openCell(tokens, index, headerTag(tokens[index + 1]));
  made.renderer.rules.th_close = (tokens, index) => `</${headerTag(tokens[index - 1])}>`;
  made.renderer.rules.td_open = (tokens, index) => openCell(tokens, index, 'td');
  made.renderer.rules.html_made = (tokens, index) => tokens[index]?.content ?? '';
  made.renderer.rules.html_link = (tokens, index) => tokens[index]?.content ?? '';
  made.renderer.rules.html_block = onlyComments;
  made.renderer.rules.html_inline = onlyComments;
  return made;
}

/** A header without text names nothing. */
function headerTag(content: Token | undefined): 'th' | 'td' {
  return content?.content === '' ? 'td' : 'th';
}

/** The parser aligns a column with a style attribute, which the site forbids. */
function openCell(tokens: readonly Token[], index: number, tag: 'th' | 'td'): string {
  const [, side] = /text-align:(\w+)/.exec(String(tokens[index]?.attrGet('style') ?? '')) ?? [];
  return side === undefined ? `<${tag}>` : `<${tag} class="align-${side}">`;
}

/** Comments are for tools that read the file. Other HTML could load or style something, which the site forbids. */
function onlyComments(tokens: readonly Token[], index: number): string {
  const content = tokens[index]?.content ?? '';
  if (/^\s*<!--.*-->\s*$/s.test(content)) return '';
  throw new Error(`Cannot render HTML in Markdown: ${content.trim()}`);
}

/**
 * Renders one Markdown page, whose first line is its title.
 *
 * @throws Error when the title is missing, or when the page contains HTML other than comments
 */
export function renderMarkdown(text: string, place: ListedPage): RenderedMarkdown {
  const headings: Heading[] = [];
  const [open, title, close, ...body] = parser.parse(text, { headings });
  if (open?.tag !== 'h1' || title === undefined || close === undefined) {
    throw new Error(`Cannot render ${place.source}: its first line must be "# Title"`);
  }
  markTabs(body);
  body.forEach((token, index) => {
    if (token.children === null) return;
    translateLinks(token.children, place);
    if (body[index - 1]?.type !== 'heading_open') linkProblems(token.children, place.path);
  });
  const lead = body[0]?.type === 'paragraph_open' ? body[1] : undefined;
  const render = (tokens: Token[]) => parser.renderer.render(tokens, parser.options, {});
  return {
    title: plainText(title),
    description: plainText(lead ?? title),
    lead: lead === undefined ? '' : render([lead]),
    html: render(body.slice(lead === undefined ? 0 : 3)),
    headings,
  };
}

/** Renders paragraphs and lists whose links, if any, are absolute. */
export function renderFragment(text: string, page: string): string {
  const tokens = parser.parse(text, {});
  for (const { children } of tokens) linkProblems(children ?? [], page);
  return parser.renderer.render(tokens, parser.options, {});
}

/** Ends a heading with the link to itself, and lists it. */
function linkHeading(id: string, _options: unknown, state: anchor.State, index: number): void {
  const [open, inline] = state.tokens.slice(index);
  if (open === undefined || inline === undefined) return;
  const text = plainText(inline);
  state.env.headings.push({ level: Number(open.tag.slice(1)), id, text });
  inline.children?.push(Object.assign(new state.Token('html_link', '', 0), { content: selfLink(id, text) }));
}

/** The anchor of a heading, as code hosts make it. */
function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Translates the targets of links. A file that is not on the site keeps its text without the link. */
function translateLinks(tokens: readonly Token[], place: ListedPage): void {
  let target: string | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      target = siteLink(place, String(token.attrGet('href') ?? ''));
      token.attrSet('href', target ?? '');
    }
    if (/^link_/.test(token.type)) token.hidden = target === undefined;
  }
}

/** Lets each problem code outside of a link lead to its page. */
function linkProblems(tokens: readonly Token[], page: string): void {
  let depth = 0;
  for (const token of tokens) {
    if (/^link_/.test(token.type) && !token.hidden) depth += token.nesting;
    const link = token.type === 'code_inline' && depth === 0 ? problemLink(page, token.content) : undefined;
    if (link === undefined) continue;
    token.type = 'html_link';
    token.content = link;
  }
}

/** The text of a heading or paragraph, without markup. */
function plainText(inline: Token): string {
  return (inline.children ?? [])
    .map((child) => (/break$/.test(child.type) ? ' ' : child.content))
    .join('')
    .trim();
}
