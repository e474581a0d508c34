import { z } from 'zod';
import { metrics } from '#shared/contract/metrics.ts';
import { coloured } from '../../operator/cli/colour.ts';
import { parseJson } from '../../operator/cli/parse-json.ts';

export type LogStyle = {
  /** Prints each line as one JSON object, with its source. */
  readonly json: boolean;
  /** Also prints the lines of scheduled functions and metrics that report nothing unusual. */
  readonly verbose: boolean;
  /** Factor that shortens the wait for a retry. */
  readonly timeScale: number;
};

const objectSchema = z.record(z.string(), z.unknown());

const lineSchema = z.looseObject({
  message: z.string().optional(),
  level: z.string().default('INFO'),
  timestamp: z.iso.datetime().optional(),
});
type Line = z.infer<typeof lineSchema>;

const attemptSchema = z.object({
  message: z.literal('delivery.attempted'),
  timestamp: z.iso.datetime().optional(),
  event_type: z.string().default('event'),
  run_id: z.string().optional(),
  event_id: z.string().default('-'),
  webhook_id: z.string(),
  attempt: z.number(),
  status: z.string(),
  response_status: z.number().optional(),
  error: z.string().default('No reason is known'),
  duration_ms: z.number(),
  next_attempt_at: z.iso.datetime().optional(),
});
type Attempt = Omit<z.infer<typeof attemptSchema>, 'message'>;

const acknowledgedSchema = z
  .object({
    message: z.literal('deliveries.acknowledged'),
    endpoints: z.array(
      z.object({
        webhook_id: z.string(),
        deliveries: z.array(attemptSchema.omit({ message: true, webhook_id: true, status: true })),
      }),
    ),
  })
  .transform(({ endpoints }) =>
    endpoints.flatMap(({ webhook_id, deliveries }) =>
      deliveries.map((attempt) => ({ ...attempt, webhook_id, status: 'delivered' })),
    ),
  );

const requestSchema = z.object({
  message: z.literal('request.done'),
  operation: z.string(),
  status: z.number(),
  code: z.string().default(''),
});

const none = z.literal(0).default(0);

/** An audit that found nothing. */
const quietAuditSchema = z.object({
  message: z.literal('audit.done'),
  pending: z.object({ overdue: none, stranded: none }),
  requeued: none,
  complete: z.literal(true),
});

/** Members that say nothing about what happened. */
const platformMembers = new Set([
  'level',
  'message',
  'timestamp',
  'service',
  'function_request_id',
  'xray_trace_id',
  '_aws',
  'stage',
  'outcome_class',
  'status_class',
  ...Object.values(metrics).map(({ name }) => name),
]);

/**
 * The text of a log line in the terminal: time, part, and what happened, for a person to read at a glance. The line of a
 * batch has a text line for each attempt.
 *
 * @param source the part that wrote the line: a function by the title in its template, a queue, the Scheduler
 * @returns `null` for a line that is not shown
 */
export function logText(source: string, text: string, style: LogStyle): string | null {
  const members = objectSchema.safeParse(parseJson(text)).data;
  const line = lineSchema.safeParse(members).data;
  if (!style.verbose && members !== undefined && isRoutine(members, line)) return null;
  if (style.json) return JSON.stringify({ source, ...(members ?? { text }) });
  if (line?.message === undefined) return `${source} | ${text}`;
  return describe(line, style)
    .map((what) => [timeOf(line.timestamp), partOf(source).padEnd(partWidth), what].join('  '))
    .join('\n');
}

/** Width of `deliver-slow`, the longest name of a queue function. */
const partWidth = 12;

/** Metrics, a batch that the intake took, and an audit that found nothing. */
function isRoutine(members: object, line: Line | undefined): boolean {
  if ('_aws' in members && line?.message === undefined) return true;
  return line?.message === 'intake.done' || quietAuditSchema.safeParse(line).success;
}

/** `local: queue/deliver` is `deliver`; functions of the API are `api`, since their lines name the operation. */
function partOf(source: string): string {
  const folder = source.replace(/^[^:]*: /, '');
  return folder.startsWith('api/') ? 'api' : (folder.split('/').at(-1) ?? folder);
}

function describe(line: Line, { timeScale }: LogStyle): readonly string[] {
  const attempts = acknowledgedSchema.or(attemptSchema.transform((one) => [one])).safeParse(line).data;
  if (attempts !== undefined) return attempts.map((attempt) => describeAttempt(attempt, timeScale));
  const request = requestSchema.safeParse(line).data;
  if (request !== undefined) return [`${request.operation}  ${request.status} ${request.code}`.trimEnd()];
  const level = line.level === 'INFO' ? '' : `${line.level} `;
  return [`${level}${line.message}${factsOf(line)}`];
}

function describeAttempt(attempt: Attempt, timeScale: number): string {
  const { event_type, run_id, event_id, webhook_id } = attempt;
  return `${event_type}  ${run_id ?? event_id}  ${webhook_id}  ${outcomeOf(attempt, timeScale)}`;
}

function outcomeOf(
  { timestamp: at, status, attempt, response_status, error, duration_ms, next_attempt_at }: Attempt,
  timeScale: number,
): string {
  const number = attempt === 1 ? '' : ` at attempt ${attempt}`;
  if (status === 'delivered') return `${coloured('delivered')}${number}: ${response_status} in ${duration_ms} ms`;
  if (status === 'failed') return `${coloured('failed')}${number}: ${error}`;
  if (at === undefined || next_attempt_at === undefined) return `attempt ${attempt} ${coloured('failed')}: ${error}`;
  const wait = (Date.parse(next_attempt_at) - Date.parse(at)) / timeScale;
  const next = timeOf(new Date(Date.parse(at) + wait).toISOString());
  return `attempt ${attempt} ${coloured('failed')}: ${error}; next at ${next}`;
}

/** Time of day in UTC, as in the records of the API. */
function timeOf(timestamp: string | undefined): string {
  return (timestamp ?? '').slice(11, 19).padEnd(8);
}

/** The other members as `name=value`. */
function factsOf(line: Line): string {
  return Object.entries(line)
    .filter(([name]) => !platformMembers.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
