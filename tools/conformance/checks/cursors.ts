import { type Check, check, checkOf, checksOf, scenario } from '../harness/check.ts';
import { expectThat } from '../harness/expect.ts';
import { textAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { pathOf } from '../scenarios/endpoint.ts';
import { rotation } from '../scenarios/endpoints.ts';
import { creator, history, lists, runItems } from '../scenarios/lists.ts';
import { expectInvalid } from './problems.ts';

/** A cursor of the deliveries of the main endpoint. */
const cursorOfHistory = scenario(['receiver'], async (ctx) => {
  const { path } = await history(ctx);
  const page = await ctx.customer.get(`${path}?limit=2`);
  return { path, cursor: textAt(page.json, 'next_cursor') };
});

function flipAt(text: string, index: number): string {
  const replacement = text[index] === 'A' ? 'B' : 'A';
  return text.slice(0, index) + replacement + text.slice(index + 1);
}

const mutations: Readonly<Record<string, (cursor: string) => string>> = {
  'first character changed': (cursor) => flipAt(cursor, 0),
  'second character changed': (cursor) => flipAt(cursor, 1),
  'middle changed': (cursor) => flipAt(cursor, Math.floor(cursor.length / 2)),
  'last character changed': (cursor) => flipAt(cursor, cursor.length - 1),
  'end cut off': (cursor) => cursor.slice(0, -2),
  'something appended': (cursor) => `${cursor}AA`,
  'padding appended': (cursor) => `${cursor}=`,
  'beginning cut off': (cursor) => cursor.slice(1),
};

async function expectRefused(ctx: Context, path: string, cursor: string): Promise<void> {
  expectInvalid(await ctx.customer.get(`${path}?limit=2&cursor=${encodeURIComponent(cursor)}`));
}

/** Checks that a list accepts only cursors that it issued, for the same filters and the same customer. */
export const cursors: readonly Check[] = [
  ...lists.map(({ name, path }) =>
    checkOf(`the list of ${name} refuses a cursor that the service did not issue`, path, (of, ctx) =>
      expectRefused(ctx, of, 'eyJpZCI6MX0'),
    ),
  ),
  ...lists.map(({ name, path }) =>
    checkOf(`the list of ${name} refuses an empty cursor`, path, (of, ctx) => expectRefused(ctx, of, '')),
  ),
  ...lists
    .filter(({ name }) => name !== 'deliveries')
    .map(({ name, path }) =>
      check(`the list of ${name} refuses a cursor of deliveries`, ['receiver', ...path.needs], async (ctx) =>
        expectRefused(ctx, await path(ctx), (await cursorOfHistory(ctx)).cursor),
      ),
    ),
  ...checksOf(cursorOfHistory, {
    'a repeated cursor is refused': async ({ path, cursor }, ctx) => {
      const value = encodeURIComponent(cursor);
      expectInvalid(await ctx.customer.get(`${path}?limit=2&cursor=${value}&cursor=${value}`));
    },
    "another endpoint's cursor is refused": async ({ cursor }, ctx) => {
      const { endpoint } = await rotation(ctx);
      await expectRefused(ctx, `${pathOf(endpoint)}/deliveries`, cursor);
    },
  }),
  checkOf("another customer's cursor is refused", allSlotsTaken, async (_, ctx) => {
    const page = await ctx.other.get('/v1/webhooks?limit=1');
    await expectRefused(ctx, '/v1/webhooks', textAt(page.json, 'next_cursor'));
  }),
  checkOf('a cursor of another filter is refused', history, async ({ path }, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=2&event_type=webhook.test`);
    const cursor = textAt(page.json, 'next_cursor');
    await expectRefused(ctx, path, cursor);
    const other = `${path}?limit=2&status=delivered&cursor=${encodeURIComponent(cursor)}`;
    expectInvalid(await ctx.customer.get(other));
  }),
  checkOf("another Run's cursor is refused", runItems, async (path, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=2`);
    const cursor = textAt(page.json, 'next_cursor');
    await expectRefused(ctx, await creator(ctx), cursor);
  }),
  ...Object.entries(mutations).map(([name, mutate]) =>
    checkOf(`an edited cursor is refused: ${name}`, cursorOfHistory, ({ path, cursor }, ctx) =>
      expectRefused(ctx, path, mutate(cursor)),
    ),
  ),
  ...checksOf(cursorOfHistory, {
    'a cursor reveals nothing about the record that it points at': async ({ cursor }, ctx) => {
      const { ids } = await history(ctx);
      const readable = [cursor, Buffer.from(cursor, 'base64url').toString('latin1')].join(' ');
      expectThat(!ids.some((id) => readable.includes(id.slice(4))), 'no id in a cursor', readable);
    },
  }),
];
