import { authenticateLink, authenticateToken } from '#shared/auth/authenticate.ts';
import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import type { Entries } from '#shared/aws/recent-cache.ts';
import {
  closeCustomer,
  type Erasing,
  erasePass,
  forgetCustomer,
} from '#shared/aws/table/credentials/erase-customer.ts';
import type { GroupedWrite, Statement } from '#shared/aws/table/grouped-requests.ts';
import { waitingShards } from '#shared/aws/table/keys.ts';
import type { TableClient } from '#shared/aws/table-client.ts';
import type { TableScanner } from '#shared/aws/table-scanner.ts';
import { toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { RunForms } from '#shared/domain/run-forms.ts';
import type { SendNotice } from '#shared/operations/delivery/announce-changes.ts';
import type { CheckUrl } from '#shared/operations/ports.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { askedTable } from '../../support/table/asked-table.ts';
import { attemptRequest } from '../../support/table/attempt-requests.ts';
import type { Io } from '../../support/table/io.ts';
import type { RecordTable } from '../../support/table/record-table.ts';
import { type TablePorts, tablePorts } from '../../support/table/table-ports.ts';
import { everyStep } from '../invariants/every-step.ts';
import { connectServices, type Services } from './clients.ts';
import type { Invocation } from './invocation.ts';
import type { Violation } from './journal.ts';
import type { SimulatedQueue } from './queues.ts';
import { type Outside, postEvent } from './receivers.ts';
import type { QueueName, Script } from './script.ts';

/** The services that all functions share. */
export type Backend = Outside &
  Services & {
    readonly script: Script;
    readonly table: RecordTable;
    readonly queues: Readonly<Record<QueueName, SimulatedQueue>>;
    /** Of the one warm function that takes in messages, as `runForms`. */
    readonly customerCache: Entries<true>;
    readonly runForms: RunForms;
    /** Sends a message from outside. */
    send(queue: QueueName, body: string): void;
    tokenOf(named: string | undefined): string | undefined;
    readonly report: (violations: readonly Violation[]) => void;
  };

/** Failures in a row of which the operator is told. */
export const noticeAfter = 3;

/** Milliseconds in which all rows of the table are read. */
const longestScan = 10 * 60_000;

/** How often another release is deployed, which writes another address into its events. */
const releaseInterval = 20 * 60_000;
const releaseAt = (time: number): number => Math.floor(time / releaseInterval);

/** The adapters of one invocation, as a handler connects them. */
export function connect(world: Backend, invocation: Invocation) {
  const { queues, random } = world;
  const { now, monotonic, after, wait } = invocation;
  const io = noting(world, invocation);
  const pause = (most: number) => wait((random.below(1000) / 1000) * most);
  const retention = { now, days: world.script.retentionDays ?? null };
  const { all, ...table } = askedTable(world.table, { io, retention, tokenOf: (named) => world.tokenOf(named) });
  // Each group holds one statement, because groups form in turns of the event loop, of which virtual time has none.
  const together: GroupedWrite = (_key, statement) => groupOfOne(table.client, statement);
  const runs = { write: together, forms: world.runForms };
  const groups = { claims: together, records: together, deliveries: together, runs };
  const stored = tablePorts(
    { ...table, groups, pause },
    {
      customerCache: { now, monotonic, entries: world.customerCache },
    },
  );
  const lane: Lane = invocation.name === 'deliverSlow' ? 'slow' : 'ordinary';
  return {
    ...stored,
    ...connectServices(world, invocation),
    ...access(world, invocation, stored, { table: { ...all, pause }, now }),
    now,
    monotonic,
    after,
    wait,
    randomBytes: (size: number) => world.random.bytes(size),
    report: (event: TelemetryEvent) => compare(world, event),
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    baseUrl: `https://api-${releaseAt(world.timeline.now)}.example.com`,
    shards: waitingShards,
    checkUrl: (async (url) => ({ ok: true, url })) satisfies CheckUrl,
    postEvent: postEvent(world, invocation),
    areQueuesEmpty: () =>
      io({ service: 'queue', name: 'count messages' }, () =>
        Object.values(queues).every(({ bodies }) => bodies.length === 0),
      ),
    lane,
    noticeAfter: noticeAfter as number | null,
    sendNotice: (async (endpoint, notice) => {
      const message = toNoticeMessage({ endpoint, customer: null }, notice, {
        stage: 'test',
        consoleUrl: '',
      });
      await io({ service: 'queue', name: 'send notice' }, () => world.journal.notices.push(message));
    }) satisfies SendNotice,
  };
}

/** What lets somebody act for a customer, and the end of a customer. */
function access(
  { table, random }: Backend,
  { io, now, wait }: Invocation,
  stored: TablePorts,
  erasing: Omit<Erasing, 'scanner'>,
) {
  const { table: served } = stored;
  const scanner: TableScanner = {
    scan: async ({ Segment }) => {
      await wait(random.oneIn(2) ? 0 : random.below(longestScan));
      const rows = Segment === 0 ? await io({ service: 'table', name: 'scan' }, () => table.rows()) : [];
      return { rows, read: rows.length, next: null };
    },
    size: unexpected('size'),
  };
  return {
    makeCredential: makePortalCredential,
    hashCredential,
    authenticateLink: authenticateLink({ table: served, now }),
    // The signature of a token is checked without a request.
    authenticateToken: authenticateToken({
      verifyToken: async (token) => token.split('.')[1] ?? '',
      table: served,
    }),
    closeCustomer: closeCustomer({ ...erasing, scanner }),
    erasePass: erasePass({ ...erasing, scanner }),
    forgetCustomer: forgetCustomer({ ...erasing, scanner }),
  };
}

/** The answer to one statement: its item, or `null` when it was refused. */
async function groupOfOne(client: TableClient, { text, values }: Statement) {
  const { Responses: [answer] = [] } = await client.executeBatch({
    Statements: [{ Statement: text, Parameters: [...values] }],
  });
  return answer?.Error === undefined ? (answer?.Item ?? {}) : null;
}

/** Records the requests of a function about its claims, whether or not they are served. */
function noting({ journal, timeline }: Backend, { io, now, timeLeft }: Invocation): Io {
  return (request, effect) => {
    const asked = attemptRequest(request);
    const token = asked?.token ?? '';
    // A claim that is refused in a group is asked for again, alone.
    if (asked?.does === 'claim' && !journal.claimsAsked.has(token))
      journal.claimsAsked.set(token, { at: now(), timeLeft: timeLeft(), answeredAt: null });
    if (asked?.does === 'release') journal.releasesAsked.add(token);
    if (asked?.does === 'record' && asked.outcome !== 'interrupted') journal.recordsAsked.add(token);
    const answer = io(request, effect);
    const claim = asked?.does === 'claim' ? journal.claimsAsked.get(token) : undefined;
    if (claim !== undefined) {
      const noteAnswer = () => {
        claim.answeredAt = timeline.now;
      };
      answer.then(noteAnswer, noteAnswer);
    }
    return answer;
  };
}

/** What is stored of an attempt must read as it was made. */
function compare({ table, report }: Backend, event: TelemetryEvent): void {
  if (event.name !== 'delivery.attempted') return;
  const stored = table.delivery(event.delivery)?.delivery.log[event.attempt - 1];
  if (stored !== undefined) report(everyStep.ofStored('Attempt', event.entry, stored));
}

export type Ports = ReturnType<typeof connect>;

/** Replaces adapters of a function, to make a mutant. */
export type PortPatch = (ports: Ports, world: Backend, invocation: Invocation) => Partial<Ports>;
