import { describe, expect, it } from 'vitest';
import { problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import { formatted, problemPage } from '#shared/runtime/problem-page.ts';
import { htmlResponse } from '#shared/runtime/responses.ts';

describe('problemPage()', () => {
  it.each(problemCodeNames)('explains %s, marks code, and loads nothing', (code) => {
    const page = problemPage(code);

    expect(page).toContain(`<code>${code}</code>, HTTP ${problemCodes[code].status}`);
    expect(page).toContain(problemCodes[code].title);
    expect(page).not.toContain('`');
    expect(page).not.toMatch(/<script|src=|href=|url\(/);
  });

  it('escapes the special characters of HTML', () => {
    expect(formatted('Send `a <b>` & go')).toBe('Send <code>a &lt;b></code> &amp; go');
  });
});

describe('htmlResponse()', () => {
  it('htmlResponse() is a page in UTF-8 with the headers of every response', () => {
    expect(htmlResponse('<p>')).toEqual({
      statusCode: 200,
      headers: {
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Type': 'text/html; charset=utf-8',
      },
      body: '<p>',
    });
  });
});
