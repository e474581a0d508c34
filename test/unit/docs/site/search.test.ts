import { describe, expect, it } from 'vitest';
import { openSearch } from '../../../../site/search/find.ts';
import { sectionsOf } from '../../../../site/search/sections.ts';

const section = (address: string, heading: string, text: string) => ({
  address,
  page: 'Guide',
  heading,
  text,
});

const find = openSearch([
  section('rotate', 'Rotate the secret', 'Send a request, and deploy the new one.'),
  section('verify', 'Verify', 'The secret is the key of the signature. Rotate it when it leaks.'),
  section('errors/not_found', '', 'not_found HTTP 404. The resource does not exist.'),
  section('missing', 'What was not found', 'Some ids are not found, and the code is not_found.'),
  section('list', 'List endpoints', 'GET /v1/webhooks Lists the endpoints of a customer.'),
  section('read', 'Read an endpoint of webhooks', 'GET /v1/webhooks/{id} Reads one.'),
]);

describe('the search of the documentation', () => {
  it.each([
    ['a word of a heading before a word of the text', 'rotate', ['rotate', 'verify']],
    ['the beginning of a word', 'signat', ['verify']],
    ['a word with a wrong letter', 'resorce', ['errors/not_found']],
    ['every word of the query, in any order', 'leaks secret', ['verify']],
    ['the subject of a question', 'how do I rotate all the secrets', ['rotate', 'verify']],
    ['some words, when no section has all', 'signature xylophone', ['verify']],
    ['a problem code before texts about it', 'not_found', ['errors/not_found', 'missing']],
    ['an operation before others with its path', 'get /v1/webhooks', ['list', 'read']],
    ['nothing for a word that is nowhere', 'xylophone', []],
    ['another word for the same thing, after the word itself', 'roll', ['rotate', 'verify']],
    ['several other words together', 'roll hmac', ['verify']],
  ])('finds %s', (_what, query, expected) => {
    expect(find(query).map(({ address }) => address)).toEqual(expected);
  });

  it('shows the text around the first match, and marks the matches', () => {
    const long = `${'Before it. '.repeat(20)}The Signature, and after it. ${'More text. '.repeat(40)}`;
    const [found] = openSearch([section('long', '', long)])('sign');

    const text = found?.excerpt.map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text)).join('');
    expect(text).toMatch(/^… .{10,60}The \[Signature\], and after it\. .{20,200}$/);
  });

  it('parts a page at its listed headings, as plain text without what operations repeat', () => {
    const html =
      '<p>Above <code>&lt;id&gt;</code>.</p><h2 id="one">One <a class="anchor" href="#one">#</a></h2><p>First</p>' +
      '<h4 id="part">Part</h4><ul><li>a</li><li>b</li></ul><div class="examples"><p>Twice</p></div></section>' +
      '<h3 id="two">Two</h3><p>Last</p><details class="failures">Errors</details>';
    const headings = ['One', 'Two'].map((text) => ({ level: 2, id: text.toLowerCase(), text }));
    const draft = { path: 'docs/x', title: 'X', description: '', lead: 'The <em>lead</em>', html, headings };

    expect(sectionsOf(draft)).toEqual([
      { address: 'docs/x', page: 'X', heading: '', text: 'The lead Above <id>.' },
      { address: 'docs/x#one', page: 'X', heading: 'One', text: 'First Part a b' },
      { address: 'docs/x#two', page: 'X', heading: 'Two', text: 'Last' },
    ]);
  });
});
