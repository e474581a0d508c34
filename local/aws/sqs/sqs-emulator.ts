import {
  type EmulatorHeaders,
  type EmulatorMessage,
  type EmulatorQueue,
  type EmulatorStore,
  emulatorErrorSchema,
  loadEmulator,
} from './emulator-modules.ts';
import { MessageNotes } from './message-notes.ts';
import { StandardQueue } from './standard-queue.ts';

/** A call that the emulator refuses, in the form that the SDK expects. */
export class SqsCallError extends Error {
  override readonly name = 'SqsCallError';
  /** Such as `QueueDoesNotExist`. */
  readonly code: string;
  readonly status: number;
  readonly queryErrorHeader: string;

  constructor(code: string, message: string, status = 400, queryErrorHeader = `${code};Sender`) {
    super(message);
    this.code = code;
    this.status = status;
    this.queryErrorHeader = queryErrorHeader;
  }
}

export type SqsCall = {
  readonly action: string;
  readonly body: unknown;
  readonly headers: EmulatorHeaders;
  /** Aborted when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined;
};

export type SqsEmulator = {
  readonly store: EmulatorStore;
  /** @throws SqsCallError */
  readonly call: (call: SqsCall) => Promise<unknown>;
};

/**
 * The emulator with fair standard queues: it keeps the group of a message, which its own actions drop on a standard
 * queue, and serves quiet groups first. It also keeps the trace header of a message, as SQS does.
 */
export async function createSqsEmulator(): Promise<SqsEmulator> {
  const { store, actions } = await loadEmulator();
  const notes = new MessageNotes();
  let pollSignal: AbortSignal | undefined;
  const createQueue = store.createQueue.bind(store);
  const makeFair = (queue: EmulatorQueue) => {
    const setGroup = (message: EmulatorMessage) => {
      const group = notes.groupOf(message);
      if (group !== undefined) message.messageGroupId = group;
    };
    return queue.isFifo() ? queue : replaceMessages(queue, setGroup, () => pollSignal);
  };
  Object.assign(store, {
    createQueue: (...given: Parameters<typeof createQueue>) => makeFair(createQueue(...given)),
  });
  const call = async ({ action, body, headers, signal }: SqsCall): Promise<unknown> => {
    const run = actions.get(action);
    if (run === undefined) throw new SqsCallError('InvalidAction', `Unknown action: ${action}`);
    const given = action.startsWith('SendMessage') ? notes.take(body, headers) : body;
    let result: unknown;
    try {
      // An action registers its poll before it returns.
      pollSignal = signal;
      result = run(given, store, { headers });
    } catch (error) {
      throw asCallError(error);
    } finally {
      pollSignal = undefined;
    }
    const answer = await Promise.resolve(result).catch((error: unknown) => {
      throw asCallError(error);
    });
    return action === 'ReceiveMessage' ? notes.addTraces(body, answer, store) : answer;
  };
  return { store, call };
}

/** Replaces the message handling of a queue of the emulator. */
function replaceMessages(
  queue: EmulatorQueue,
  setGroup: (message: EmulatorMessage) => void,
  pollSignal: () => AbortSignal | undefined,
): EmulatorQueue {
  const standard = new StandardQueue(queue, pollSignal);
  const getAttribute = queue.getAttribute.bind(queue);
  const counts = new Map<string, () => number>([
    ['ApproximateNumberOfMessages', () => standard.count('waiting')],
    ['ApproximateNumberOfMessagesDelayed', () => standard.count('delayed')],
  ]);
  return Object.assign(queue, {
    enqueue: (message: EmulatorMessage) => {
      setGroup(message);
      standard.enqueue(message);
    },
    dequeue: standard.dequeue.bind(standard),
    deleteMessage: standard.deleteMessage.bind(standard),
    changeVisibility: standard.changeVisibility.bind(standard),
    processTimers: standard.processTimers.bind(standard),
    waitForMessages: standard.waitForMessages.bind(standard),
    cancelWaiters: standard.cancelWaiters.bind(standard),
    purge: standard.purge.bind(standard),
    getAttribute: (name: Parameters<typeof getAttribute>[0]) =>
      counts.get(name)?.().toString() ?? getAttribute(name),
  });
}

function asCallError(error: unknown): unknown {
  const { success, data } = emulatorErrorSchema.safeParse(error);
  if (!success) return error;
  return new SqsCallError(data.code, data.message, data.statusCode, data.queryErrorHeader);
}
