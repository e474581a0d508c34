import { type Check, check, checksOf, groupsOf } from '../harness/check.ts';
import { headerOf } from '../harness/exchange.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at, isRecord, textAt } from '../harness/json.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { rotation } from '../scenarios/rotation.ts';
import { everyResponse, failures, faultOfMember, type ResponseRule } from './every-response.ts';
import { isTimestamp } from './fields.ts';
import { expectInvalid, expectPointer, expectProblem, expectStatus, isCode, pointersOf } from './problems.ts';
import { expectMembers } from './records.ts';

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;

const rules: readonly ResponseRule[] = [
  {
    name: 'every problem document has type: a URL that ends with /errors/ and the code',
    wanted: 'a URL that ends with /errors/ and the code',
    fault: faultOfMember(
      'type',
      (value, { json }, { config }) =>
        typeof value === 'string' &&
        URL.canParse(value) &&
        value.endsWith(`/errors/${String(at(json, 'code'))}`) &&
        (config.docs_url === undefined || value.startsWith(`${config.docs_url}/errors/`)),
    ),
  },
  {
    name: 'every problem document has title: a text',
    wanted: 'a text',
    fault: faultOfMember('title', isFilledText),
  },
  {
    name: 'every problem document has status: the status of the answer',
    wanted: 'the status of the answer',
    fault: faultOfMember('status', (value, { status }) => value === status),
  },
  {
    name: 'every problem document has code: a code of the table',
    wanted: 'a code of the table',
    fault: faultOfMember('code', isCode),
  },
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
  ...checksOf(rotation, ['receiver'], {
    'webhook_rotation_in_progress says when the overlap ends': ({ rotated, again }) => {
      expectProblem(again, 'webhook_rotation_in_progress');
      const until = at(again.json, 'overlap_expires_at');
      expectThat(isTimestamp(until), 'overlap_expires_at', show(until));
      expectMembers(again.json, { overlap_expires_at: at(rotated.json, 'overlap_expires_at') });
    },
  }),
  ...checksOf(allSlotsTaken, ['receiver'], {
    'a problem document is an object, also when the service refuses a registration': ({ refused }) =>
      expectThat(isRecord(refused.json), 'an object', refused.text),
  }),
];

export const problemFields = groupsOf('Resources and their fields', {
  'Problem document': [...rules.map((rule) => everyResponse(failures(), rule)), ...occurrences],
});
