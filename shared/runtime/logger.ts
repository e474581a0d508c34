import { embedMetrics, type Measurement } from './embedded-metrics.ts';

type Level = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SILENT';
type Facts = Readonly<Record<string, unknown>>;

const ranks: Readonly<Record<string, number>> = {
  TRACE: 0,
  DEBUG: 1,
  INFO: 2,
  WARN: 3,
  ERROR: 4,
  CRITICAL: 5,
  FATAL: 5,
  SILENT: 6,
};

export type Logger = {
  info(message: string, facts?: Facts, measured?: Measurement): void;
  warn(message: string, facts?: Facts, measured?: Measurement): void;
  error(message: string, facts?: Facts, measured?: Measurement): void;
  /** Adds members to every later line; a later value replaces an earlier one. */
  appendKeys(keys: Facts): void;
  setLogLevel(level: Level): void;
};

type Options = {
  readonly service: string;
  /** Dimension of every metric. */
  readonly stage: string;
  /** `AWS_LAMBDA_LOG_LEVEL` has precedence over `POWERTOOLS_LOG_LEVEL`. Default level: INFO. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/**
 * Writes one line of JSON per call, with the members that Powertools for AWS Lambda writes. A line costs one
 * `JSON.stringify`, and the module costs no cold start. A line that measures something carries its metrics, so a level
 * above INFO would silence them too.
 */
export function createLogger({ service, stage, environment }: Options): Logger {
  let least =
    rankOf(environment.AWS_LAMBDA_LOG_LEVEL) ?? rankOf(environment.POWERTOOLS_LOG_LEVEL) ?? ranks.INFO ?? 0;
  let common: Facts = {};
  const write = (
    level: Level,
    stream: NodeJS.WriteStream,
    message: string,
    facts: Facts = {},
    measured?: Measurement,
  ) => {
    if ((ranks[level] ?? 0) < least) return;
    const at = new Date();
    const line = {
      level,
      message,
      timestamp: at.toISOString(),
      service,
      ...common,
      sampling_rate: 0,
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
    setLogLevel: (level) => {
      least = ranks[level] ?? least;
    },
  };
}

function rankOf(level: string | undefined): number | undefined {
  return level === undefined ? undefined : ranks[level.toUpperCase()];
}

/** The id of the X-Ray trace of the current invocation. */
function traceOf({ _X_AMZN_TRACE_ID: trace }: Options['environment']): Facts {
  const root = trace === undefined ? undefined : /(?:^|;)Root=([^;]+)/.exec(trace)?.[1];
  return root === undefined ? {} : { xray_trace_id: root };
}
