import { embedMetrics, type Measurement } from './embedded-metrics.ts';

type Level = 'INFO' | 'WARN' | 'ERROR';
type Facts = Readonly<Record<string, unknown>>;

const defaultRank = 2;
const ranks: Readonly<Record<string, number>> = {
  TRACE: 0,
  DEBUG: 1,
  INFO: defaultRank,
  WARN: 3,
  ERROR: 4,
  FATAL: 5,
};

export type Logger = {
  info(message: string, facts?: Facts, measured?: Measurement): void;
  warn(message: string, facts?: Facts, measured?: Measurement): void;
  error(message: string, facts?: Facts, measured?: Measurement): void;
  /** Adds members to every later line; a later value replaces an earlier one. */
  appendKeys(keys: Facts): void;
};

type Options = {
  readonly service: string;
  /** Dimension of every metric. */
  readonly stage: string;
  /** Read for each line. `AWS_LAMBDA_LOG_LEVEL` is the lowest level that is written; default INFO. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/**
 * Writes one line of JSON per call, with the members that Powertools for AWS Lambda writes. A line costs one
 * `JSON.stringify`, and the module costs no cold start. A line that measures something carries its metrics, so a level
 * above INFO would silence them too.
 */
export function createLogger({ service, stage, environment }: Options): Logger {
  let common: Facts = {};
  const write = (
    level: Level,
    stream: NodeJS.WriteStream,
    message: string,
    facts: Facts = {},
    measured?: Measurement,
  ) => {
    if (rankOf(level) < rankOf(environment.AWS_LAMBDA_LOG_LEVEL)) return;
    const at = new Date();
    const line = {
      level,
      message,
      timestamp: at.toISOString(),
      service,
      ...common,
      ...traceOf(environment),
      ...facts,
      ...(measured === undefined ? {} : embedMetrics(stage, measured, at.getTime())),
    };
    stream.write(`${JSON.stringify(line)}\n`);
  };
  return {
    info: (...line) => write('INFO', process.stdout, ...line),
    warn: (...line) => write('WARN', process.stderr, ...line),
    error: (...line) => write('ERROR', process.stderr, ...line),
    appendKeys: (keys) => {
      common = { ...common, ...keys };
    },
  };
}

function rankOf(level = 'INFO'): number {
  return ranks[level] ?? defaultRank;
}

/** The id of the X-Ray trace of the current invocation. */
function traceOf({ _X_AMZN_TRACE_ID: trace }: Options['environment']): Facts {
  const root = trace === undefined ? undefined : /(?:^|;)Root=([^;]+)/.exec(trace)?.[1];
  return root === undefined ? {} : { xray_trace_id: root };
}
