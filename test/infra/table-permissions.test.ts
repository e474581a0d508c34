import { beforeAll, describe, expect, it } from 'vitest';
import * as keys from '#shared/aws/table/keys.ts';
import { functionFolders } from '#shared/contract/functions.ts';
import { type PartitionName, partitionPattern, partitions } from '#shared/contract/table-schema.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { isAllowed } from '../support/aws/policy-evaluator.ts';
import { ShortNames } from './short-names.ts';
import {
  everyOption,
  type SynthesizedStage,
  statementsOf,
  synthesizeStage,
  templateOf,
} from './synthesized-stage.ts';

const customer = 'cus_1';
const creator = { platform: 'tiktok', handle: 'anna' };
const id = deliveryId(0, digest('delivery'), 1);

/** A partition key of each kind, built by the code. */
const examples: Readonly<Record<PartitionName, string>> = {
  customer: keys.liveEndpointKey(customer, 'whe_1').pk,
  customerList: keys.customerListKey(customer).pk,
  apiKey: keys.apiKeyKey('abc').pk,
  connection: keys.connectionKey('con_1').pk,
  portalLink: keys.portalLinkKey('abc').pk,
  deliveries: keys.deliveryKey({ customerId: customer, webhookId: 'whe_1', id }).pk,
  bulkReplays: keys.bulkReplayKey({ customerId: customer, webhookId: id, id }).pk,
  eventReplays: keys.eventReplayKey({ customerId: customer, webhookId: 'whe_1', id }, 'evt_1').pk,
  run: keys.runKey(customer, 'run_1').pk,
  runList: keys.runsPartition(customer, 0),
  tracker: keys.trackerKey(customer, 'trk_1').pk,
  changeReport: keys.changeReportPlaceKey(customer, 'chg_1').pk,
  creator: keys.creatorKey(customer, creator).pk,
  rateWindow: keys.rateWindowKey('aky_1').pk,
  cursorSecret: keys.cursorSecretKey.pk,
  waiting: keys.waitingPartition(3),
};
const names = Object.keys(partitions) as readonly PartitionName[];
const reading = ['GetItem', 'BatchGetItem', 'Query'] as const;
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const;

let stage: SynthesizedStage;
let policies: ReadonlyMap<string, readonly unknown[]>;

beforeAll(async () => {
  stage = await synthesizeStage(everyOption);
  const short = new ShortNames(stage);
  policies = new Map(
    functionFolders.map((folder) => {
      const statements = statementsOf(templateOf(stage, folder), folder).map(
        ({ Resource, ...statement }) => ({
          ...statement,
          Resource: [Resource].flat().map((one) => short.of(one)),
        }),
      );
      return [folder, statements];
    }),
  );
});

/** Kinds of partitions on which a function may do at least one of the actions. */
function reach(folder: string, actions: readonly string[]): readonly PartitionName[] {
  return names.filter((name) => actions.some((action) => may(folder, action, [examples[name]])));
}

function may(folder: string, action: string, leadingKeys?: readonly string[], others = {}): boolean {
  return isAllowed(policies.get(folder) ?? [], {
    action: `dynamodb:${action}`,
    resource: 'table',
    context: { ...(leadingKeys && { 'dynamodb:LeadingKeys': leadingKeys }), ...others },
  });
}

describe('the kinds of partitions', () => {
  it.each(names)('the pattern of the partition %s matches its own keys and no other', (name) => {
    const pattern = partitionPattern(name);

    const fitting = names.filter((other) => fits(pattern, examples[other]));

    expect(fitting).toEqual([name]);
  });
});

const delivering = ['queue/deliver', 'queue/deliver-slow'];

describe('the functions that connect to hosts of customers', () => {
  it.each(delivering)(
    '%s reaches endpoints and deliveries: it can neither read nor make a credential',
    (folder) => {
      expect(reach(folder, reading)).toEqual(['customer']);
      expect(reach(folder, writing)).toEqual(['customer', 'deliveries']);
    },
  );
});

describe('the function that creates portal links', () => {
  it('operator/create-portal-link writes portal links alone, and reads no other credential', () => {
    expect(reach('operator/create-portal-link', reading)).toEqual(['customer']);
    expect(reach('operator/create-portal-link', writing)).toEqual(['portalLink']);
  });

  it('no other function can make a portal link', () => {
    const making = functionFolders.filter((folder) => reach(folder, writing).includes('portalLink'));

    expect(making).toEqual(['operator/create-portal-link']);
  });
});

describe('a function', () => {
  it.each(functionFolders)(
    '%s can make neither a key nor a connection nor a customer in the list',
    (folder) => {
      const credentials = ['apiKey', 'connection', 'customerList'];

      expect(reach(folder, writing).filter((name) => credentials.includes(name))).toEqual([]);
    },
  );

  it.each(functionFolders)(
    '%s may not act on an item of another kind together with one of its own',
    (folder) => {
      for (const action of [...reading, ...writing]) {
        const own = names.filter((name) => may(folder, action, [examples[name]]));
        const pairs = names
          .filter((name) => !own.includes(name))
          .flatMap((other) => own.map((name) => [examples[name], examples[other]]));
        expect(pairs.filter((pair) => may(folder, action, pair))).toEqual([]);
      }
    },
  );

  it.each(functionFolders)('%s may do nothing that a request without a key could do', (folder) => {
    const partiQl = ['PartiQLSelect', 'PartiQLUpdate', 'PartiQLInsert', 'PartiQLDelete'];
    const keyless = ['Scan', ...partiQl, 'ExportTableToPointInTime'];

    expect(keyless.filter((action) => may(folder, action))).toEqual([]);
  });
});

function fits(pattern: string, key: string): boolean {
  const statement = {
    Effect: 'Allow',
    Action: 'a',
    Resource: '*',
    Condition: { StringLike: { key: pattern } },
  };
  return isAllowed([statement], { action: 'a', resource: '', context: { key: [key] } });
}
