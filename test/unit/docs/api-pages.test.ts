import { describe, expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { Problem, problem, problemDocument } from '#shared/contract/problem.ts';
import { engineCodes, problemCodeNames } from '#shared/contract/problem-codes.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { parseBody, parseQuery } from '#shared/runtime/validate.ts';
import { operationDetails } from '../../../site/openapi/operations.ts';
import { problemText } from '../../../site/openapi/problems.ts';
import { rowsWith } from '../../architecture/test-titles.ts';
import { expectShown, readPage } from '../../support/docs/page-examples.ts';

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

it('errors.md and paging-and-limits.md show problem documents as the API writes them', async () => {
  const { invalid_request, ...others } = examples;

  await expectShown('errors.md', { invalid_request });
  await expectShown('paging-and-limits.md', others);
});

describe('docs/pages/errors.md', () => {
  it('names the codes that the pages of the codes say to retry, and no other', async () => {
    const { text } = await readPage('errors.md');
    const codes = problemCodeNames.filter((code) => !engineCodes.has(code));

    const named = rowsWith(text, 'Retry?').flatMap(([code]) => code?.match(/(?<=`)\w+(?=`)/g) ?? []);
    const retried = codes.filter((code) => problemText(code, docsUrl).retry.startsWith('Yes'));
    expect(named.toSorted()).toEqual(retried.toSorted());
  });
});

describe('docs/pages/paging-and-limits.md', () => {
  it('names the filters of every list', async () => {
    const { text } = await readPage('paging-and-limits.md');
    const named = rowsWith(text, 'Filters').map(([list = '', filters = '']) => [
      list.replaceAll('`', '').replace('GET ', ''),
      [...filters.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => (name === 'videos' ? [] : [name])),
    ]);

    const lists = operationNames.flatMap((name) => {
      const { query } = operationDetails[name];
      if (query === undefined || !Object.hasOwn(query.shape, 'cursor')) return [];
      const filters = Object.keys(query.shape).filter((each) => each !== 'limit' && each !== 'cursor');
      return [[routes[name].path, filters]];
    });
    expect(lists.length).toBeGreaterThan(5);
    expect(named).toEqual(lists);
  });

  it('names the limits of the API', async () => {
    const { text } = await readPage('paging-and-limits.md');
    const rows = new Map(rowsWith(text, 'Limit').map(([what = '', limit = '']) => [what, limit]));

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
