import type { Caller, Permission } from './permissions.ts';

export type Wildcard = { readonly holder: string; readonly wildcard: string; readonly reason: string };

export type PermissionPage = {
  readonly functions: readonly string[];
  readonly permissions: readonly Permission[];
  readonly callers: readonly Caller[];
  readonly wildcards: readonly Wildcard[];
};

const everyFunction = 'every function';

/** docs/permissions.md */
export function permissionPage({ functions, permissions, callers, wildcards }: PermissionPage): string {
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
    table(
      'Who may assume a role',
      ['Role of', 'Who', 'If'],
      sharedFirst(ofKind('assumed'), functions).map(trust),
    ),
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
function sharedFirst(
  permissions: readonly Permission[],
  functions: readonly string[],
): readonly Permission[] {
  const shared = [
    ...Map.groupBy(permissions, (permission) => contentOf(permission, functions)).values(),
  ].filter((group) => functions.every((folder) => group.some(({ holder }) => holder === folder)));
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
