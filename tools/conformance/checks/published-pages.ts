import { type Check, check, groupsOf } from '../harness/check.ts';
import { type Exchange, headerOf, mediaType } from '../harness/exchange.ts';
import { expectEqual, expectThat } from '../harness/expect.ts';
import type { Context } from '../harness/session.ts';
import { expectNotFound, expectStatus } from './problems.ts';

async function page(ctx: Context, path: string): Promise<Exchange> {
  const got = await ctx.anonymous.get(path);
  expectStatus(got, 200);
  return got;
}

function expectMedia(exchange: Exchange, type: string): void {
  expectEqual('media type', mediaType(exchange), type);
}

const pages: readonly Check[] = [
  check('the address of the service answers programs not_found', [], async (ctx) =>
    expectNotFound(await ctx.anonymous.get('/')),
  ),
  check('each page that /llms.txt lists is served as Markdown and as a page', [], async (ctx) => {
    const list = await page(ctx, '/llms.txt');
    expectMedia(list, 'text/plain');
    const listed = [...list.text.matchAll(/\]\((?:[^)]*\/)?(docs\/[^)]+)\.md\)/g)].map(([, path]) => `/${path}`);
    expectThat(listed.length > 0, 'links to pages below docs', list.text.slice(0, 200));
    for (const path of listed) {
      expectMedia(await page(ctx, `${path}.md`), 'text/markdown');
      expectMedia(await page(ctx, path), 'text/html');
    }
  }),
  check('HEAD of a page answers as GET does, without a body', [], async (ctx) => {
    const [got, head] = [await page(ctx, '/docs/index'), await ctx.anonymous.send('HEAD', '/docs/index')];
    expectStatus(head, 200);
    expectEqual('Content-Type', headerOf(head, 'content-type'), headerOf(got, 'content-type'));
    expectEqual('length of the body', head.bytes.length, 0);
  }),
  check('a page loads nothing of another host', [], async (ctx) => {
    const policy = headerOf(await page(ctx, '/docs/index'), 'content-security-policy') ?? '';
    expectThat(policy.startsWith("default-src 'none'"), "a policy that begins with default-src 'none'", policy);
    expectThat(!/https?:|\*/.test(policy), 'a policy without other hosts', policy);
  }),
];

export const publishedPages = groupsOf('What the service does', { 'Published pages': pages });
