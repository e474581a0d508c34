import { type Check, check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { headerOf, isSuccess } from '../harness/exchange.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, isRecord, listAt, textAt } from '../harness/json.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { rotation } from '../scenarios/endpoints.ts';
import { lists } from '../scenarios/lists.ts';
import {
  everyResponse,
  failures,
  faultOfMember,
  type MemberTest,
  type ResponseRule,
  successes,
} from './every-response.ts';
import { is } from './fields.ts';
import { expectInvalid, expectPointer, expectProblem, expectStatus, isCode, pointersOf } from './problems.ts';

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;

/** The members of every problem document: what each is, and the test of its value. */
const problemMembers: Readonly<Record<string, readonly [is: string, test: MemberTest]>> = {
  type: [
    'a URL that ends with /errors/ and the code',
    (value, { json }, { config }) =>
      typeof value === 'string' &&
      URL.canParse(value) &&
      value.endsWith(`/errors/${String(at(json, 'code'))}`) &&
      (config.docs_url === undefined || value.startsWith(`${config.docs_url}/errors/`)),
  ],
  title: ['a text', isFilledText],
  status: ['the status of the answer', (value, { status }) => value === status],
  code: ['a code of the table', isCode],
};

const problemRules: readonly ResponseRule[] = [
  ...Object.entries(problemMembers).map(([member, [is, test]]) => ({
    name: `every problem document has ${member}: ${is}`,
    wanted: is,
    fault: faultOfMember(member, test),
  })),
  {
    name: 'detail of a problem document, when there is one, is a text',
    wanted: 'a text or nothing',
    fault: faultOfMember('detail', (detail) => detail === undefined || typeof detail === 'string'),
  },
  {
    name: 'every problem document names its request as instance',
    wanted: 'instance: a text',
    fault: faultOfMember('instance', isFilledText),
  },
];

const occurrences: readonly Check[] = [
  check('instance is different for every request', [], async (ctx) => {
    const [one, other] = await Promise.all([ctx.anonymous.get('/v1/runs'), ctx.anonymous.get('/v1/runs')]);
    const first = textAt(one.json, 'instance');
    expectThat(first !== at(other.json, 'instance'), 'two different values', first);
  }),
  check('the type of a problem links to a page about it', [], async (ctx) => {
    const failure = await ctx.anonymous.get('/nowhere');
    const type = textAt(failure.json, 'type');
    const { url } = ctx.config;
    // The suite can request only pages below the address of the service.
    if (!type.startsWith(`${url}/`)) return;
    const page = await ctx.anonymous.get(type.slice(url.length));
    expectStatus(page, 200);
    expectThat(page.text.includes('not_found'), 'a page that names the code', page.text.slice(0, 120));
    const contentType = headerOf(page, 'content-type');
    expectThat((contentType ?? '').startsWith('text/html'), 'a page', contentType);
  }),
  check('a refused body names each fault and its place in errors', [], async (ctx) => {
    const refused = await ctx.customer.post('/v1/webhooks', { url: 7 });
    expectPointer(refused, '/url');
    const details = at(refused.json, 'errors', 0, 'detail');
    expectThat(isFilledText(details), 'a detail', details);
  }),
  check('a refused query parameter is named in errors', [], async (ctx) => {
    const refused = await ctx.customer.get('/v1/webhooks?limit=0');
    expectInvalid(refused);
    const isNamed = pointersOf(refused).some((pointer) => show(pointer).includes('limit'));
    expectThat(isNamed, 'errors that name limit', show(at(refused.json, 'errors')));
  }),
  checkOf('webhook_rotation_in_progress says when the overlap ends', rotation, ({ rotated, again }) => {
    expectProblem(again, 'webhook_rotation_in_progress');
    const until = at(again.json, 'overlap_expires_at');
    expectThat(is.timestamp(until), 'overlap_expires_at', show(until));
    expectMembers(again.json, { overlap_expires_at: at(rotated.json, 'overlap_expires_at') });
  }),
  ...checksOf(allSlotsTaken, {
    'a problem document is an object, also when the service refuses a registration': ({ refused }) =>
      expectThat(isRecord(refused.json), 'an object', refused.text),
  }),
];

const listPath = /^\/v1\/(webhooks|runs|[^?]*\/(deliveries|items|changes|videos))(\?|$)/;

const listPages = successes(
  (exchange) => exchange.request.method === 'GET' && isSuccess(exchange) && listPath.test(exchange.request.path),
);

const uncounted = ['page', 'total', 'total_count', 'count', 'offset', 'total_pages', 'has_more'];

const pageRules: readonly ResponseRule[] = [
  {
    name: 'items of every page is an array of records',
    wanted: 'items: an array of objects',
    fault: faultOfMember('items', (items) => Array.isArray(items) && items.every(isRecord)),
  },
  {
    name: 'next_cursor of every page is a string or null',
    wanted: 'next_cursor: a string that is not empty, or null',
    fault: faultOfMember('next_cursor', (cursor) => cursor === null || (typeof cursor === 'string' && cursor !== '')),
  },
  {
    name: 'no page has a page number, a total count or an offset',
    wanted: 'items and next_cursor alone',
    fault: ({ json }) => {
      const found = uncounted.filter((name) => at(json, name) !== undefined);
      return found.length === 0 ? null : `members ${found.join(', ')}`;
    },
  },
];

const perList = lists.map(({ name, path }) =>
  checkOf(`the list of ${name} answers items and next_cursor`, path, async (of, ctx) => {
    const page = await ctx.customer.get(`${of}?limit=2`);
    expectStatus(page, 200);
    listAt(page.json, 'items');
    expectThat(at(page.json, 'next_cursor') !== undefined, 'next_cursor', show(page.json));
  }),
);

export const responseFields = groupsOf('Resources and their fields', {
  'Problem document': [...problemRules.map((rule) => everyResponse(failures(), rule)), ...occurrences],
  'List page': [...perList, ...pageRules.map((rule) => everyResponse(listPages, rule))],
});
