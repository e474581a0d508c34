import { describe, expect, it } from 'vitest';
import { functionFolders } from '#shared/contract/functions.ts';
import { type PartitionName, partitionPattern, partitions } from '#shared/contract/table-schema.ts';
import { type Permission, permissionsOf } from './permissions.ts';
import { ShortNames } from './short-names.ts';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

const names = Object.keys(partitions) as readonly PartitionName[];
const reading = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'];
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate'];
/** Every key that a request names must fit; a request without keys would fit too. */
const leadingKeys = 'ForAllValues:StringLike dynamodb:LeadingKeys ';

const permissions = permissionsOf(new ShortNames(await synthesizeStage(everyOption)));
const onTable = permissions.filter(({ kind, resources }) => kind === 'may' && resources.includes('table'));

/** Kinds of partitions on which a function may do at least one of the actions. */
function reach(folder: string, actions: readonly string[]): readonly PartitionName[] {
  const patterns = onTable
    .filter(({ holder }) => holder === folder)
    .filter((permission) => permission.actions.some((action) => actions.includes(shortName(action))))
    .flatMap(patternsOf);
  return names.filter((name) => patterns.includes(partitionPattern(name)));
}

const shortName = (action: string) => action.replace('dynamodb:', '');

const patternsOf = ({ conditions }: Permission): readonly string[] =>
  conditions.flatMap((condition) =>
    condition.startsWith(leadingKeys) ? condition.slice(leadingKeys.length).split(', ') : [],
  );

it.each(names)('the pattern of the partition %s matches its own keys and no other', (name) => {
  const [beginning = '', ...rest] = partitionPattern(name).split('*');
  const fits = (key: string) => (rest.length > 0 ? key.startsWith(beginning) : key === beginning);

  // By their type, all keys begin with these.
  expect(names.filter((other) => fits(partitions[other]))).toEqual([name]);
});

describe('the permissions on the table', () => {
  it.each(['queue/deliver', 'queue/deliver-slow'])(
    '%s, which connects to hosts of customers, reaches endpoints, deliveries and counts of bulk replays alone',
    (folder) => {
      expect(reach(folder, reading)).toEqual(['customer', 'deliveries']);
      expect(reach(folder, writing)).toEqual(['customer', 'deliveries', 'bulkReplays']);
    },
  );

  const results = ['deliveries', 'run', 'tracker', 'changeReport', 'creator'];

  it.each([
    // Who can send to the intake cannot make it change an endpoint.
    ['queue/intake', ['customer', ...results], results],
    ['operator/create-customer', ['customer', 'customerReference'], ['customer', 'customerList', 'customerReference']],
    ['operator/list-customers', ['customer', 'customerList', 'customerReference'], []],
    ['operator/create-api-key', ['customer', 'request'], ['customer', 'apiKey', 'request']],
    ['operator/list-api-keys', ['customer'], []],
    ['operator/revoke-api-key', ['customer'], ['customer', 'apiKey']],
    ['operator/create-portal-link', ['customer'], ['portalLink']],
  ])('%s reads only %j and writes only %j', (folder, reads, writes) => {
    expect([reach(folder, reading), reach(folder, writing)]).toEqual([reads, writes]);
  });

  it.each([
    ['customerList', ['operator/create-customer']],
    ['apiKey', ['operator/create-api-key', 'operator/revoke-api-key']],
    ['portalLink', ['operator/create-portal-link']],
    ['connection', []],
  ])('no function makes a %s but %j', (kind, makers) => {
    const written = (folder: string) => reach(folder, writing).some((name) => name === kind);

    expect(functionFolders.filter(written)).toEqual(makers);
  });

  it('each permission is limited to kinds of items, and to actions that name the keys of all items', () => {
    const wide = onTable.filter(
      (permission) =>
        patternsOf(permission).length === 0 ||
        !permission.actions.every((action) => [...reading, ...writing].includes(shortName(action))),
    );

    expect(onTable.length).toBeGreaterThan(functionFolders.length);
    expect(wide).toEqual([]);
  });
});
