import { type Check, check, type Group } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import { at, expectEqual, expectThat, isRecord, show, textAt } from '../harness/expect.ts';
import { statusOfCode } from '../harness/problem-table.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { rotation } from '../scenarios/rotation.ts';
import { type AnswerRule, everyAnswer, sampleFailures } from './every-answer.ts';
import { isTimestamp } from './fields.ts';
import { expectPointer, expectProblem, expectStatus, isFailure } from './problems.ts';

type Member = {
  name: string;
  wanted: string;
  test: (value: unknown, exchange: Exchange, ctx: Context) => boolean;
};

const members: readonly Member[] = [
  {
    name: 'type',
    wanted: 'a URL that ends with /errors/ and the code',
    test: (value, { json }, ctx) =>
      typeof value === 'string' &&
      URL.canParse(value) &&
      value.endsWith(`/errors/${String(at(json, 'code'))}`) &&
      (ctx.config.docs_url === undefined || value.startsWith(`${ctx.config.docs_url}/errors/`)),
  },
  {
    name: 'title',
    wanted: 'a text',
    test: (value) => typeof value === 'string' && value.length > 0,
  },
  { name: 'status', wanted: 'the status of the answer', test: (value, { status }) => value === status },
  {
    name: 'code',
    wanted: 'a code of the table',
    test: (value) => typeof value === 'string' && Object.hasOwn(statusOfCode, value),
  },
];

function memberRule({ name, wanted, test }: Member): AnswerRule {
  return {
    name: `every problem document has ${name}: ${wanted}`,
    wanted,
    appliesTo: isFailure,
    fault: (exchange, ctx) => {
      const value = at(exchange.json, name);
      return test(value, exchange, ctx) ? null : `${name} ${show(value)}`;
    },
    sample: sampleFailures,
  };
}

const rules: readonly AnswerRule[] = [
  ...members.map(memberRule),
  {
    name: 'detail of a problem document, when there is one, is a text',
    wanted: 'a text or nothing',
    appliesTo: isFailure,
    fault: ({ json }) => {
      const detail = at(json, 'detail');
      return detail === undefined || typeof detail === 'string' ? null : `detail ${show(detail)}`;
    },
    sample: sampleFailures,
  },
  {
    name: 'every problem document names its request as instance',
    wanted: 'instance: a text',
    appliesTo: isFailure,
    fault: ({ json }) => {
      const instance = at(json, 'instance');
      return typeof instance === 'string' && instance.length > 0 ? null : `instance ${show(instance)}`;
    },
    sample: sampleFailures,
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
    expectThat(
      (headerOf(page, 'content-type') ?? '').startsWith('text/html'),
      'a page',
      headerOf(page, 'content-type'),
    );
  }),
  check('a refused body names each fault and its place in errors', [], async (ctx) => {
    const refused = await ctx.customer.post('/v1/webhooks', { url: 7 });
    expectPointer(refused, '/url');
    const details = at(refused.json, 'errors', 0, 'detail');
    expectThat(typeof details === 'string' && details.length > 0, 'a detail', details);
  }),
  check('a refused query parameter is named in errors', [], async (ctx) => {
    const refused = await ctx.customer.get('/v1/webhooks?limit=0');
    expectProblem(refused, 400, 'invalid_request');
    const errors = at(refused.json, 'errors');
    const isNamed =
      Array.isArray(errors) && errors.some((error) => show(at(error, 'pointer')).includes('limit'));
    expectThat(isNamed, 'errors that name limit', show(errors));
  }),
  check('webhook_rotation_in_progress says when the overlap ends', ['receiver'], async (ctx) => {
    const { rotated, again } = await rotation(ctx);
    expectProblem(again, 409, 'webhook_rotation_in_progress');
    const until = at(again.json, 'overlap_expires_at');
    expectThat(isTimestamp(until), 'overlap_expires_at', show(until));
    expectEqual('overlap_expires_at', until, at(rotated.json, 'overlap_expires_at'));
  }),
  check(
    'a problem document is an object, also when the service refuses a registration',
    ['receiver'],
    async (ctx) => {
      const { refused } = await allSlotsTaken(ctx);
      expectThat(isRecord(refused.json), 'an object', refused.text);
    },
  ),
];

export const problemFields: Group = {
  heading: 'Resources and their fields',
  section: 'Problem document',
  checks: [...rules.map(everyAnswer), ...occurrences],
};
