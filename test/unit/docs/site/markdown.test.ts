import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../site/markdown.ts';

const place = { source: 'docs/pages/index.md', path: 'docs/index', title: 'Overview' };
const render = (body: string) => renderMarkdown(`# Title\n\n${body}`, place);
const html = (body: string) => {
  const { lead, html: rest } = render(body);
  return `${lead}${rest}`;
};

describe('renderMarkdown()', () => {
  it('takes the title and the first paragraph from the text', () => {
    expect(renderMarkdown('# A `code` title\n\nWhat *this* page\ngives.\n\nMore.', place)).toEqual({
      title: 'A code title',
      description: 'What this page gives.',
      lead: 'What <em>this</em> page\ngives.',
      html: '<p>More.</p>\n',
      headings: [],
    });
  });

  it.each(['No title', '## Too low', ''])('refuses a page that begins with %j', (text) => {
    expect(() => renderMarkdown(text, place)).toThrow(
      'Cannot render docs/pages/index.md: its first line must be "# Title"',
    );
  });

  it.each([
    ['events.md', 'events'],
    ['events.md#run-completed', 'events#run-completed'],
    ['../glossary.md', 'glossary'],
    ['../../CHANGELOG.md#unreleased', 'changelog#unreleased'],
    ['../openapi.json', 'reference'],
    ['#below', '#below'],
    ['https://example.com/a.md', 'https://example.com/a.md'],
  ])('translates a link to %s into %s', (target, link) => {
    expect(html(`[text](${target})`)).toBe(`<a href="${link}">text</a>`);
  });

  it.each(['../operating.md', '../../shared/domain/event.ts', 'missing.md', '/etc/passwd'])(
    'keeps only the text of a link to %s, which is not on the site',
    (target) => {
      expect(html(`[\`text\`](${target}) [more](events.md)`)).toBe('<code>text</code> <a href="events">more</a>');
    },
  );

  it('gives headings the anchors of code hosts, with a number for each repetition', () => {
    const { headings, html: text } = render('## Run `it`, twice!\n\n### Run it twice\n\n## Über uns');

    expect(headings).toEqual([
      { level: 2, id: 'run-it-twice', text: 'Run it, twice!' },
      { level: 3, id: 'run-it-twice-1', text: 'Run it twice' },
      { level: 2, id: 'über-uns', text: 'Über uns' },
    ]);
    expect(text).toContain('<h3 id="run-it-twice-1">Run it twice <a class="anchor" href="#run-it-twice-1"');
  });

  it('links a problem code to its page, but not in a link or a heading', () => {
    expect(html('`not_found` and `nothing`')).toBe(
      '<a href="errors/not_found"><code>not_found</code></a> and <code>nothing</code>',
    );
    expect(html('[`not_found`](events.md)')).toBe('<a href="events"><code>not_found</code></a>');
    expect(html('## `not_found`')).not.toContain('errors/');
  });

  it('lets tables and code scroll inside themselves, without a style', () => {
    const table = html('| a | |\n| --: | --- |\n| 1 | 2 |');

    expect(table).toContain('<div class="table" tabindex="0" role="group" aria-label="Table">');
    expect(table).toContain('<th class="align-right">a</th>');
    expect(table).toContain('<td></td>');
    expect(table).not.toContain('style=');
    expect(html('```js\nconst a = 1 < 2;\n```')).toContain(
      '<pre tabindex="0"><code><span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span> &lt;',
    );
    expect(html('```nosuch\n<b>\n```')).toContain('<code>&lt;b&gt;</code>');
  });

  it.each([
    ['NOTE', 'note'],
    ['TIP', 'tip'],
    ['IMPORTANT', 'important'],
    ['WARNING', 'warning'],
    ['CAUTION', 'warning'],
  ])('shows a quotation marked %s as a callout', (marker, name) => {
    expect(html(`> [!${marker}]\n> Mind the gap.`)).toBe(
      `<div class="callout ${name}">\n<p>Mind the gap.</p>\n</div>\n`,
    );
  });

  it('refuses text beside the marker of a callout, which code hosts show otherwise', () => {
    expect(() => html('> [!NOTE] Mind the gap.')).toThrow('Cannot render text beside the marker: Mind the gap.');
  });

  it('makes a section of each heading between the marks of tabs', () => {
    const made = html('<!-- tabs: Language -->\n\n## Go\n\none\n\n## C&C\n\ntwo\n\n<!-- /tabs -->\n\n## After');

    expect(made.replaceAll(/<h2.*<\/h2>/g, '').replaceAll('\n', '')).toBe(
      '<div class="tabs" data-label="Language"><section class="tab" data-title="Go"><p>one</p></section>' +
        '<section class="tab" data-title="C&amp;C"><p>two</p></section></div>',
    );
  });

  it.each(['<!-- tabs: A -->\n\n## One', '<!-- /tabs -->', '<!-- tabs: A -->\n\n<!-- /tabs -->'])(
    'refuses tabs without an end or a section: %j',
    (body) => {
      expect(() => html(body)).toThrow(/^Cannot (end|find the end of)/);
    },
  );

  it('leaves out comments, and refuses other HTML', () => {
    expect(html('<!-- for a test -->\n\nText')).toBe('<p>Text</p>\n');
    expect(() => html('a <b>c</b>')).toThrow('Cannot render HTML in Markdown: <b>');
    expect(() => html('<script>alert(1)</script>')).toThrow('Cannot render HTML in Markdown: <script>');
  });
});
