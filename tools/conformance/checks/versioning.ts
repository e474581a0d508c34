import { type Check, check, checksOf, type Group } from '../harness/check.ts';
import { at, expectThat, show } from '../harness/expect.ts';
import { statusOfCode } from '../harness/problem-table.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import { mainEndpoint } from '../scenarios/main-endpoint.ts';
import { everyAnswer, sampleFailures } from './every-answer.ts';
import { expectProblem, isFailure } from './problems.ts';

const checks: readonly Check[] = [
  ...checksOf(
    ['/webhooks', '/v2/webhooks', '/V1/webhooks', '/runs'],
    [],
    (path) => `${path} does not exist: paths begin with /v1`,
    async (ctx, path) => expectProblem(await ctx.customer.get(path), 404, 'not_found'),
  ),
  check('links carry the version prefix', ['receiver', 'intake'], async (ctx) => {
    await mainEndpoint(ctx);
    const { posts } = await journeyEvents(ctx);
    const links = posts.flatMap(({ json }) => Object.values(Object(at(json, 'links'))));
    expectThat(links.length > 0, 'links', 'none');
    const others = links.filter((link) => !String(link).startsWith(`${ctx.config.url}/v1/`));
    expectThat(others.length === 0, `links below ${ctx.config.url}/v1/`, show(others));
  }),
  everyAnswer({
    name: 'no failure has a code that is not in the catalogue',
    wanted: 'a code of the catalogue',
    appliesTo: isFailure,
    fault: ({ json }) => {
      const code = at(json, 'code');
      return typeof code === 'string' && Object.hasOwn(statusOfCode, code) ? null : `code ${show(code)}`;
    },
    sample: sampleFailures,
  }),
];

export const versioning: Group = { heading: 'Versioning', section: 'Versioning', checks };
