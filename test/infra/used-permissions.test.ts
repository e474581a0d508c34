import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type FunctionFolder, functionFolders } from '#shared/contract/functions.ts';
import { type PartitionName, partitionPattern, partitions } from '#shared/contract/table-schema.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { requiredSettings } from '../../lib/functions/function-environment.ts';
import { functions } from '../../lib/functions/functions.ts';

/**
 * No emulator checks permissions, so a function without a permission that its code needs would fail on AWS only. These
 * tests compare lib/functions/functions.ts with the code that is left after tree shaking.
 */
const actionsByCall: Readonly<Record<string, readonly string[]>> = {
  get: ['dynamodb:GetItem'],
  query: ['dynamodb:Query'],
  put: ['dynamodb:PutItem'],
  update: ['dynamodb:UpdateItem'],
  batchWrite: ['dynamodb:BatchWriteItem'],
  batchGet: ['dynamodb:BatchGetItem'],
  // Their parts name the actions.
  executeBatch: [],
  transactWrite: [],
  EncryptCommand: ['kms:Encrypt'],
  DecryptCommand: ['kms:Decrypt'],
  SendMessageCommand: ['sqs:SendMessage'],
  SendMessageBatchCommand: ['sqs:SendMessage'],
  // The mapping of the queue to the function allows it.
  ChangeMessageVisibilityBatchCommand: [],
  GetQueueAttributesCommand: ['sqs:GetQueueAttributes'],
  CreateScheduleCommand: ['scheduler:CreateSchedule', 'iam:PassRole'],
};

const actionsByPart: Readonly<Record<string, string>> = {
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
  INSERT: 'dynamodb:PartiQLInsert',
  UPDATE: 'dynamodb:PartiQLUpdate',
};

const names = Object.keys(partitions) as readonly PartitionName[];

/** Partitions of indexes, not of items. */
const onIndexes: ReadonlySet<PartitionName> = new Set<PartitionName>(['runList', 'waiting']);

/** Items that are found through an index, which gives their keys. */
const kindsOutOfIndexes: Readonly<Record<string, readonly PartitionName[]>> = { 'api/list-runs': ['run'] };

/** The client of the table has every operation, whichever of them a function calls. */
const clients = ['shared/aws/table-client.ts', 'shared/aws/unexpired-rows.ts'];

const ownCode = await readOwnCode();

describe('permissions and settings of a function', () => {
  it.each(functionFolders)('%s may do what its code does, and nothing more', (folder) => {
    const granted = new Set(functions[folder].grants.flatMap(({ actions }) => actions));

    expect([...granted].toSorted()).toEqual([...usedActions(folder)].toSorted());
  });

  it.each(functionFolders)('%s may touch the kinds of items whose keys its code makes, and no other', (folder) => {
    const expected = new Set([...madeKinds(folder), ...(kindsOutOfIndexes[folder] ?? [])]);

    expect([...grantedKinds(folder)].toSorted()).toEqual([...expected].toSorted());
  });

  it.each(functionFolders)('%s has the settings that its code reads, and no other', (folder) => {
    const { optionalEnvironment = [] } = functions[folder];
    const required = matches(folder, /\b(?:setting|booleanSetting)\("(\w+)"\)/g);
    const optional = matches(folder, /\b(?:countSetting|optionalSetting)\("(\w+)"\)/g);

    expect(requiredSettings(folder).toSorted()).toEqual([...new Set(required)].toSorted());
    // Every authenticating function has those of access tokens.
    expect(optionalEnvironment).toEqual(optional.filter((name) => !name.startsWith('token')));
  });
});

/** Kinds whose partitions the code names. One key is a constant, which stays in bundles that do not use it. */
function madeKinds(folder: string): readonly PartitionName[] {
  const used = (ownCode.get(folder) ?? '')
    .replace(/^var cursorSecretKey = .*$/m, '')
    .replaceAll('cursorSecretKey', 'partitions.cursorSecret');
  return names.filter((name) => !onIndexes.has(name) && new RegExp(`\\bpartitions\\d*\\.${name}\\b`).test(used));
}

function grantedKinds(folder: FunctionFolder): ReadonlySet<string> {
  const patterns = functions[folder].grants.flatMap(({ conditions }) =>
    Object.values(conditions ?? {}).flatMap((keys) => [keys['dynamodb:LeadingKeys'] ?? []].flat()),
  );
  return new Set(names.filter((name) => patterns.includes(partitionPattern(name))));
}

function usedActions(folder: string): ReadonlySet<string> {
  const calls = [...matches(folder, /\bclient\d*\.(?!send\()(\w+)\(/g), ...matches(folder, /\bnew (\w+Command)\d*\(/g)];
  const parts = calls.includes('transactWrite') ? matches(folder, /\b(Put|Update|Delete|ConditionCheck): \{/g) : [];
  const statements = calls.includes('executeBatch') ? matches(folder, /`(INSERT|UPDATE) /g) : [];
  return new Set([
    ...calls.flatMap((call) => actionsByCall[call] ?? [`unknown: ${call}`]),
    ...[...parts, ...statements].flatMap((part) => actionsByPart[part] ?? []),
  ]);
}

function matches(folder: string, pattern: RegExp): readonly string[] {
  return [...(ownCode.get(folder) ?? '').matchAll(pattern)].flatMap((match) => match[1] ?? []);
}

/** The code of this repository in each bundle. esbuild begins every module with a comment that names its file. */
async function readOwnCode(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: functionFolders.map((folder) => ({ in: `functions/${folder}/handler.ts`, out: folder })),
    outdir: join(repositoryRoot, 'dist'),
    write: false,
    bundle: true,
    // Only code of this repository is read here.
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minifySyntax: false,
    logLevel: 'error',
  });
  return new Map(
    functionFolders.map((folder) => {
      const text = outputFiles.find(({ path }) => path.endsWith(`/${folder}.js`))?.text ?? '';
      const modules = text.split(/^\/\/ (?=\S+\.\w+$)/m);
      const own = modules.filter((module) => /^(functions|shared)\//.test(module));
      return [folder, own.filter((module) => !clients.some((path) => module.startsWith(path))).join('')];
    }),
  );
}
