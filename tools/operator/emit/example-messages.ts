import { problemCodes } from '#shared/contract/problem-codes.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { makeId } from '#shared/domain/ids.ts';
import { exampleVideos } from './example-videos.ts';

/** The choices a caller can make for an example message. */
export type MessageChoices = {
  readonly customer: string;
  readonly status?: 'completed' | 'partial' | 'failed';
  readonly kind?: string;
  readonly run?: string;
  readonly tracker?: string;
  readonly charge?: number;
  readonly platform?: string;
  readonly handle?: string;
  /** Number of videos. Default 3. */
  readonly count?: number;
};

type Given = MessageChoices & { readonly at: number; readonly random: (size: number) => Uint8Array };

const builders: Readonly<Record<string, (given: Given) => object>> = {
  'run.saved': (given) => ({ run: { ...runHead(given), status: 'running' } }),
  'run.items_saved': (given) => ({ run_id: runId(given), items: videos(given) }),
  'run.settled': (given) => ({ run: settledRun(given) }),
  'tracker.saved': (given) => ({
    tracker: {
      id: trackerId(given),
      kind: given.kind ?? 'creator',
      status: 'active',
      created_at: timestamp(given.at),
    },
  }),
  'change_report.written': (given) => changeReport({ ...given, tracker: trackerId(given) }),
  'creator_videos.saved': (given) => ({ ...creator(given), videos: videos(given) }),
};

export const emittableTypes = Object.keys(builders);

/** @param at epoch milliseconds; the Run began 30 seconds earlier */
export function exampleMessage(
  type: string,
  choices: MessageChoices,
  at: number,
  random: (size: number) => Uint8Array,
): { readonly type: string; readonly customer_id: string } {
  const build = builders[type];
  if (build === undefined) throw new Error(`Cannot build a message of the unknown type ${type}`);
  return { type, customer_id: choices.customer, ...build({ ...choices, at, random }) };
}

const runDuration = 30_000;

function runHead(given: Given) {
  const { kind, tracker, at } = given;
  return {
    id: runId(given),
    kind: kind ?? (tracker === undefined ? 'creator_videos' : 'tracker_cycle'),
    ...(tracker === undefined ? {} : { tracker_id: tracker }),
    created_at: timestamp(at - runDuration),
  };
}

function settledRun(given: Given) {
  const status = given.status ?? 'completed';
  return {
    ...runHead(given),
    status,
    charge_usd: given.charge ?? (status === 'failed' ? 0 : 0.25),
    settled_at: timestamp(given.at),
    ...(status === 'failed' ? { error: storedProblem('vendor_error') } : {}),
    ...(status === 'partial' ? { problems: [storedProblem('media_unavailable')] } : {}),
  };
}

function changeReport(given: Given) {
  const run = settledRun(given);
  return {
    tracker_id: given.tracker,
    run,
    change_report: {
      id: makeId('changeReport', given.at, given.random(10)),
      run_id: run.id,
      created_at: timestamp(given.at),
    },
  };
}

function creator({ platform, handle }: Given) {
  return { platform: platform ?? 'tiktok', handle: handle ?? 'example.creator' };
}

function videos(given: Given) {
  return exampleVideos(creator(given), given.count ?? 3, given.at, given.random);
}

function runId({ run, at, random }: Given): string {
  return run ?? makeId('run', at, random(10));
}

function trackerId({ tracker, at, random }: Given): string {
  return tracker ?? makeId('tracker', at, random(10));
}

function storedProblem(code: 'vendor_error' | 'media_unavailable') {
  const { title, status } = problemCodes[code];
  return { type: `https://example.com/errors/${code}`, title, status, code };
}
