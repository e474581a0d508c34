import { describe, expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { Problem, problem, problemDocument } from '#shared/contract/problem.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { parseBody, parseQuery } from '#shared/runtime/validate.ts';
import { markdownTables } from '../../architecture/test-titles.ts';
import { exampleNames, readPage, withExamples } from '../../support/docs/page-examples.ts';

const docsUrl = 'https://api.example.com/docs';
const requestId = '4d7e1c0a-93b5-4f0e-8a57-2f6b1f0c9d34';

/** The document with which a request is refused. */
function refusalOf(request: () => unknown): unknown {
  try {
    request();
  } catch (error) {
    if (error instanceof Problem) return problemDocument(error, docsUrl, requestId);
    throw error;
  }
  throw new Error('The request was not refused');
}

const examples = {
  invalid_request: refusalOf(() =>
    parseBody(registerWebhookBody, { description: 'x'.repeat(limits.descriptionLength + 1) }),
  ),
  limit: refusalOf(() => parseQuery(listQuery, { limit: ['500'] })),
  rate_limit_exceeded: problemDocument(
    problem('rate_limit_exceeded', { limit: limits.requestsPerMinute, retryAfter: 17 }),
    docsUrl,
    requestId,
  ),
};

describe.each([
  { page: 'errors.md', names: ['invalid_request'] },
  { page: 'paging-and-limits.md', names: ['limit', 'rate_limit_exceeded'] },
])('docs/pages/$page', ({ page, names }) => {
  it(`docs/pages/${page} shows problem documents as the API writes them`, async () => {
    const { path, text } = await readPage(page);

    expect(exampleNames(text)).toEqual(names);
    await expect(
      withExamples(text, examples),
      `Run \`npx vitest run --project unit test/unit/docs/api-pages.test.ts -u\`, then review docs/pages/${page}`,
    ).toMatchFileSnapshot(path);
  });
});

describe('docs/pages/paging-and-limits.md', () => {
  it('names the limits of the API', async () => {
    const { text } = await readPage('paging-and-limits.md');
    const table = markdownTables(text).find(({ header }) => header.join() === 'What,Limit');
    const rows = new Map(table?.rows.map(({ cells: [what = '', limit = ''] }) => [what, limit]));

    expect(rows.get('Requests')).toBe(`${limits.requestsPerMinute} in any 60 seconds for each credential`);
    expect(rows.get('Endpoints')).toMatch(new RegExp(`^${limits.endpointsPerCustomer} `));
    expect(rows.get('Page')).toBe(`${limits.pageSizeDefault} records, at most ${limits.pageSizeMax}`);
    expect(rows.get('Description of an endpoint')).toBe(`${limits.descriptionLength} characters`);
    expect(rows.get('Request body')).toContain(`${limits.requestBodyBytes / 1024} KiB`);
    expect(rows.get('Request body')).toContain(`${limits.requestBodyDepth} levels`);
    expect(text).toContain(`from 1 to ${limits.pageSizeMax}. Default ${limits.pageSizeDefault}.`);
    expect(text).toContain(`q=${limits.requestsPerMinute};w=60`);
  });
});
