import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { permissionPage, type Wildcard } from './permission-page.ts';
import { callersOf, type Permission, permissionsOf } from './permissions.ts';
import { ShortNames } from './short-names.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

/** Wildcards in allowed actions and resources only: in a denial, a wildcard is stricter. */
const reasons: readonly Wildcard[] = [
  ...['queue/deliver', 'queue/deliver-slow'].map((holder) => ({
    holder,
    wildcard: 'scheduler:schedule/retries/*',
    reason:
      'Schedules are named after the deliveries that fail. The group contains only retries of this stage.',
  })),
  {
    holder: 'api log role',
    wildcard: '*',
    reason:
      'One role of the account serves the logs of all its APIs, whose names are not known. Only API Gateway assumes it, ' +
      'and it requires what the AWS policy for this role allows.',
  },
  {
    holder: 'secrets key',
    wildcard: 'kms:*',
    reason:
      'Lets the IAM policies of the account control the key. Without it, nobody could change the policy of the key.',
  },
  { holder: 'secrets key', wildcard: '*', reason: 'In the policy of a key, `*` is that key.' },
];

let stage: SynthesizedStage;
let disposable: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage(everyOption);
  disposable = await synthesizeStage();
});

describe('docs/permissions.md', () => {
  it('docs/permissions.md lists exactly the permissions of the templates', async () => {
    const names = new ShortNames(stage);

    const page = permissionPage({
      functions: names.functions,
      permissions: permissionsOf(names),
      callers: callersOf(names),
      wildcards: reasons,
    });

    await expect(page, 'Run `npm run record`, then review docs/permissions.md').toMatchFileSnapshot(
      join(repositoryRoot, 'docs/permissions.md'),
    );
  });

  it('docs/permissions.md has a reason for each wildcard, and no other reason', () => {
    const found = permissionsOf(new ShortNames(stage)).flatMap(wildcardsOf);

    const expected = reasons.map(({ holder, wildcard }) => ({ holder, wildcard }));

    expect(found.toSorted(byText)).toEqual(expected.toSorted(byText));
  });

  it('a stage that does not retain its data allows nothing beyond docs/permissions.md', () => {
    const texts = (of: SynthesizedStage) =>
      permissionsOf(new ShortNames(of)).map((permission) => JSON.stringify(permission));
    const allowed = new Set(texts(stage));

    const more = texts(disposable).filter((permission) => !allowed.has(permission));

    expect(more).toEqual([]);
  });
});

function wildcardsOf({ holder, effect, who, actions, resources }: Permission) {
  if (effect === 'Deny') return [];
  const wide = [who, ...actions, ...resources].filter((text) => text.includes('*'));
  return wide.map((wildcard) => ({ holder, wildcard }));
}

function byText(one: object, other: object): number {
  return JSON.stringify(one).localeCompare(JSON.stringify(other));
}
