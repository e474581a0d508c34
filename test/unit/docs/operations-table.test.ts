import { it } from 'vitest';
import { isPublic, operationNames, routes } from '#shared/contract/routes.ts';
import { expectTable } from '../../support/docs/page-examples.ts';

it('docs/index.md lists every operation of the API', async () => {
  const rows = operationNames
    .filter((name) => !isPublic(name))
    .map((name) => [`\`${routes[name].method} ${routes[name].path}\``, routes[name].summary]);

  await expectTable('../index.md', 'operations', [['Operation', 'Effect'], ...rows]);
});
