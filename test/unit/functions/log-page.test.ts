import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { exampleLines } from '../../support/logs/example-lines.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';

const root = join(import.meta.dirname, '../../..');
const path = join(root, 'docs/logs.md');
const marker = /<!-- table: log lines -->\n[\s\S]*?<!-- end of table -->/;

/** When a line is written, and by which functions. */
const meanings: Readonly<Record<TelemetryEvent['name'], readonly [by: string, when: string]>> = {
  'deliveries.acknowledged': [
    'deliver, deliver-slow',
    'A batch is finished; `endpoints` has each attempt that was acknowledged',
  ],
  'delivery.attempted': [
    'deliver, deliver-slow, register-webhook',
    'An attempt failed and is recorded, or a handshake',
  ],
  'delivery.interrupted': [
    'deliver, deliver-slow',
    'The worker of an attempt died; the attempt counts as failed',
  ],
  'delivery.cancelled': ['deliver, deliver-slow', 'A delivery ended because its endpoint was deleted'],
  'delivery.superseded': [
    'deliver, deliver-slow, register-webhook',
    'Another worker recorded the attempt first; this outcome does not count',
  ],
  'attempt.released': ['deliver, deliver-slow', 'Nothing was sent; the attempt is made again later'],
  'endpoint.slow': ['deliver', 'An endpoint entered the lane for slow endpoints'],
  'endpoint.quick_again': ['deliver-slow', 'An endpoint left it'],
  'attempts.put_off': [
    'deliver-slow',
    'Attempts at an endpoint in this lane come back later, because it answers a few at once',
  ],
  'endpoint.failing': [
    'deliver, deliver-slow',
    'A delivery failed, the first one since the endpoint last acknowledged an event',
  ],
  'endpoint.recovered': ['deliver, deliver-slow', 'A failing endpoint acknowledged an event'],
  'replay.started': ['API', 'A bulk replay was started; `requested_by` and `credential_id` say by whom'],
  'replay.stepped': ['replay', 'A step of a bulk replay, with its own counts and those of the job'],
  'replay.ended': ['replay', 'A bulk replay was completed, or cancelled by anybody, with its counts'],
  'intake.done': ['intake', 'A batch is finished; `customers` has each accepted or repeated event'],
  unknown_customer: ['intake', 'A message names a customer that does not exist; it is a dead letter'],
  'message.refused': [
    'intake, deliver, deliver-slow',
    'A message is malformed; it is a dead letter. Only the intake counts it',
  ],
  'messages.returned': [
    'intake, deliver, deliver-slow, replay',
    'Messages could not be processed and return to their queue; `returned` is their number',
  ],
  'request.done': ['API', 'A request was answered; `code` is that of the problem'],
  'request.failed': ['API', 'A request was answered with 5xx'],
  'sweep.done': ['sweep', 'Deliveries whose timer was lost were queued'],
  'delivery.stranded': ['audit', 'Nothing would have continued the delivery; the sweep queues it'],
  'replay.stalled': ['audit', 'Nothing continues a running bulk replay: continue or cancel it'],
  'audit.done': ['audit', 'The hourly audit is finished'],
  'operator.done': [
    'create-customer, create-api-key, revoke-api-key',
    'A program of the operator created a customer, or created or revoked an API key',
  ],
  'portal_link.created': ['create-portal-link', 'A backend of the operator got a portal link'],
  'row.unreadable': ['all', 'A row that this release cannot read was left out of a list'],
  'step.failed': ['all', 'The service itself failed; the ids are those of what the step was for'],
};

/** In every line, so that the table need not repeat them. */
const common = ['level', 'message', 'timestamp', 'service', 'function_request_id'];

it('docs/logs.md has every line that functions log, with its level, members and metrics', async () => {
  const rows = tableOf(await exampleLines());

  const page = readFileSync(path, 'utf8');
  const expected = page.replace(
    marker,
    () => `<!-- table: log lines -->\n\n${rows}\n\n<!-- end of table -->`,
  );
  await expect(expected, 'Run `npx vitest run test/unit/functions/log-page.test.ts -u`').toMatchFileSnapshot(
    path,
  );
});

const messageSchema = z.looseObject({ message: z.string(), level: z.string() });

function tableOf(lines: readonly string[]): string {
  const read = lines.map((line) => readEmbedded(line));
  const byMessage = Map.groupBy(
    read.filter(({ facts }) => 'message' in facts),
    ({ facts }) => messageSchema.parse(facts).message,
  );
  const rows = Object.entries(meanings).map(([name, [by, when]]) => {
    const found = byMessage.get(name) ?? [];
    expect(found.length, `lines ${name}`).toBeGreaterThan(0);
    const levels = new Set(found.map(({ facts }) => messageSchema.parse(facts).level));
    const members = found.flatMap(({ facts }) => Object.keys(facts)).filter((each) => !common.includes(each));
    const measured = found.flatMap(({ data }) => data.map((datum) => datum.name));
    return [code([name]), [...levels].join(', '), by, when, code(members), code(measured)];
  });
  return [['Line', 'Level', 'Functions', 'When', 'Members', 'Metrics'], Array(6).fill('---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function code(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
}
