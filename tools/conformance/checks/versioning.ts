import { type Check, check, checkOf, groupsOf } from '../harness/check.ts';
import { expectThat, show } from '../harness/expect.ts';
import { at } from '../harness/json.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import { everyResponse, failures, faultOfMember } from './every-response.ts';
import { expectNotFound, isCode } from './problems.ts';

const checks: readonly Check[] = [
  ...['/webhooks', '/v2/webhooks', '/V1/webhooks', '/runs'].map((path) =>
    check(`${path} does not exist: paths begin with /v1`, [], async (ctx) =>
      expectNotFound(await ctx.customer.get(path)),
    ),
  ),
  checkOf('links carry the version prefix', journeyEvents, ({ posts }, ctx) => {
    const links = posts.flatMap(({ json }) => Object.values(Object(at(json, 'links'))));
    expectThat(links.length > 0, 'links', 'none');
    const others = links.filter((link) => !String(link).startsWith(`${ctx.config.url}/v1/`));
    expectThat(others.length === 0, `links below ${ctx.config.url}/v1/`, show(others));
  }),
  everyResponse(failures(), {
    name: 'no failure has a code that is not in the catalogue',
    wanted: 'a code of the catalogue',
    fault: faultOfMember('code', isCode),
  }),
];

export const versioning = groupsOf('Versioning', { Versioning: checks });
