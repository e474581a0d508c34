import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import type { Retention } from '#shared/domain/retention.ts';
import { inProcessTableClient } from '../aws/in-process-table.ts';
import { type Io, immediateIo } from './io.ts';
import { type RecordTable, tableName } from './record-table.ts';

type Settings = {
  /** Makes each request. Default: it is answered at once. */
  readonly io?: Io;
  /** Default: no row expires. */
  readonly retention?: Retention;
  /** The token that the client sends with a transaction, given the one that it names. Default: that one. */
  readonly tokenOf?: (named: string | undefined) => string | undefined;
};

/** The table as the adapters of one function reach it. `all` also shows rows that have expired. */
export function askedTable(records: RecordTable, settings: Settings = {}): Table & { readonly all: Table } {
  const { io = immediateIo, retention = { now: () => 0, days: null }, tokenOf = (named) => named } = settings;
  const bare = inProcessTableClient(records.actions, (name, act, input) =>
    io({ service: 'table', name, input }, (staleness) => records.lagging(staleness, act)),
  );
  const client = {
    ...bare,
    // One token for all tries of a call.
    transactWrite: (input: TransactWriteCommandInput) =>
      bare.transactWrite({ ...input, ClientRequestToken: tokenOf(input.ClientRequestToken) }),
  };
  const all = { client, name: tableName, report: () => {}, retention };
  return { ...all, client: servingUnexpired(client, retention.now), all };
}
