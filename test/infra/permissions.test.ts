import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { type Caller, callersOf, type Permission, permissionsOf } from './permissions.ts';
import { ShortNames } from './short-names.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

type Wildcard = { readonly holder: string; readonly wildcard: string; readonly reason: string };

type PermissionPage = {
  readonly functions: readonly string[];
  readonly permissions: readonly Permission[];
  readonly callers: readonly Caller[];
  readonly wildcards: readonly Wildcard[];
};

const everyFunction = 'every function';

/** docs/permissions.md */
function permissionPage({ functions, permissions, callers, wildcards }: PermissionPage): string {
  const folders = new Set(functions);
  const ofKind = (kind: Permission['kind']) => permissions.filter((permission) => permission.kind === kind);
  const may = ofKind('may');
  const ownRows = sharedFirst(
    may.filter(({ holder }) => folders.has(holder)),
    functions,
  );
  const otherRoles = may.filter(({ holder }) => !folders.has(holder));
  return [
    introduction,
    table('What the functions may do', ['Function', 'May', 'On', 'If'], ownRows.map(allowance)),
    table('What other roles may do', ['Role', 'May', 'On', 'If'], otherRoles.map(allowance)),
    table('Who may assume a role', ['Role of', 'Who', 'If'], sharedFirst(ofKind('assumed'), functions).map(trust)),
    table('Who may use a resource', ['Resource', 'Who', 'May', 'On', 'If'], ofKind('used').map(use)),
    table('Who may call a function', ['Function', 'Who', 'From'], callers.map(call)),
    `A \`*\` stands for a path parameter. For \`api/not-found\`, it also stands for every method and path.\n`,
    table('Wildcards', ['Of', 'Wildcard', 'Why'], wildcards.map(wild)),
  ].join('\n');
}

const introduction = `# Permissions

Every permission in a deployed stage, generated from the synthesized templates. A test compares this page with them.
After a change, run \`npm run record\` and review the difference.

\`dynamodb:LeadingKeys\` are the partition keys that a request touches; each must match. [table.md](table.md) lists
what is stored under which key.
`;

/** Permissions that all functions have in the same form are listed once, for every function. */
function sharedFirst(permissions: readonly Permission[], functions: readonly string[]): readonly Permission[] {
  const shared = [...Map.groupBy(permissions, (permission) => contentOf(permission, functions)).values()].filter(
    (group) => functions.every((folder) => group.some(({ holder }) => holder === folder)),
  );
  const said = new Set(shared.flat().filter(({ holder }) => functions.includes(holder)));
  const first = shared.flatMap(([permission]) =>
    permission === undefined ? [] : [{ ...permission, holder: everyFunction, resources: ownLog(permission) }],
  );
  return [...first, ...permissions.filter((permission) => !said.has(permission))];
}

function contentOf(permission: Permission, functions: readonly string[]): string {
  const { holder, ...content } = permission;
  if (!functions.includes(holder)) return JSON.stringify(permission);
  return JSON.stringify({ ...content, resources: ownLog(permission) });
}

function ownLog({ holder, resources }: Permission): readonly string[] {
  return resources.map((resource) => (resource === `log of ${holder}` ? 'its own log' : resource));
}

const allowance = ({ holder, actions, resources, conditions }: Permission) => [
  holder,
  code(actions),
  places(resources),
  code(conditions),
];
const trust = ({ holder, who, conditions }: Permission) => [holder, who, code(conditions)];
const use = ({ holder, effect, who, actions, resources, conditions }: Permission) => [
  holder,
  who === '*' ? 'anyone' : who,
  `${effect === 'Deny' ? 'not ' : ''}${code(actions)}`,
  places(resources.map((resource) => (resource === holder ? 'itself' : resource))),
  code(conditions),
];
const call = ({ folder, who, from }: Caller) => [folder, who === '*' ? 'anyone' : who, code(from)];
const wild = ({ holder, wildcard, reason }: Wildcard) => [holder, code([wildcard]), reason];

function places(names: readonly string[]): string {
  return names.map((name) => (name.includes('*') ? code([name]) : name)).join(', ');
}

function code(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(', ');
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const [head, ...body] = [heads, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const rule = `|${heads.map(() => '---|').join('')}`;
  return `## ${title}\n\n${[head, rule, ...body].join('\n')}\n`;
}

/** Wildcards in allowed actions and resources only: in a denial, a wildcard is stricter. */
const reasons: readonly Wildcard[] = [
  ...['api/register-webhook', 'queue/deliver', 'queue/deliver-slow'].map((holder) => ({
    holder,
    wildcard: '*',
    reason:
      'With `fixedAddresses` or `vpcId` only: Lambda names the network interfaces that it makes, and describing them has no ' +
      "resource. The condition refuses every request of the function's code.",
  })),
  ...['queue/deliver', 'queue/deliver-slow'].map((holder) => ({
    holder,
    wildcard: 'scheduler:schedule/retries/*',
    reason: 'Schedules are named after the deliveries that fail. The group contains only retries of this stage.',
  })),
  {
    holder: 'api log role',
    wildcard: '*',
    reason:
      'One role of the account serves the logs of all its APIs, whose names are not known. Only API Gateway assumes it, ' +
      'and it requires what the AWS policy for this role allows.',
  },
  ...['secrets key', 'backup key'].flatMap((holder) => [
    {
      holder,
      wildcard: 'kms:*',
      reason:
        'Lets the IAM policies of the account control the key. Without it, nobody could change the policy of the key.',
    },
    { holder, wildcard: '*', reason: 'In the policy of a key, `*` is that key.' },
  ]),
];

const stage = await synthesizeStage(everyOption);
const disposable = await synthesizeStage();

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

    // Two statements of one policy may have the same one.
    const texts = new Set(found.map((each) => JSON.stringify(each)));
    expect([...texts].toSorted()).toEqual(expected.map((each) => JSON.stringify(each)).toSorted());
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
