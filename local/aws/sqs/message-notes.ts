import { z } from 'zod';
import type { EmulatorHeaders, EmulatorMessage, EmulatorStore } from './emulator-modules.ts';

/** What the emulator drops of a message: its group on a standard queue, and the trace header of its sender. */
type Note = { readonly group: string | undefined; readonly trace: string | undefined };

const entrySchema = z.looseObject({
  MessageGroupId: z.string().optional(),
  MessageAttributes: z.record(z.string(), z.unknown()).optional(),
});
const sendSchema = z.looseObject({ Entries: z.array(entrySchema).optional() });

const receiveSchema = z.object({
  QueueUrl: z.string(),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
});
const receivedSchema = z.looseObject({
  Messages: z
    .array(
      z.looseObject({ ReceiptHandle: z.string(), Attributes: z.record(z.string(), z.string()).optional() }),
    )
    .optional(),
});

/** Keeps the notes by the attributes that the emulator stores with a message. They end with the process. */
export class MessageNotes {
  readonly #notes = new WeakMap<object, Note>();

  /** Gives every message with a note an attribute object of its own, so that the note can be found by it. */
  take(body: unknown, headers: EmulatorHeaders): unknown {
    const { Entries, ...rest } = sendSchema.parse(body);
    const header = headers['x-amzn-trace-id'];
    const trace = typeof header === 'string' ? header : undefined;
    const message = this.#note(entrySchema.parse(rest), trace);
    return Entries === undefined
      ? message
      : { ...rest, Entries: Entries.map((entry) => this.#note(entry, trace)) };
  }

  groupOf({ messageAttributes }: EmulatorMessage): string | undefined {
    return this.#notes.get(messageAttributes)?.group;
  }

  /** Adds the trace headers to received messages, if the receiver asked for them. */
  addTraces(body: unknown, result: unknown, store: EmulatorStore): unknown {
    const { QueueUrl, MessageSystemAttributeNames: names } = receiveSchema.parse(body);
    if (!names.includes('All') && !names.includes('AWSTraceHeader')) return result;
    const { Messages, ...rest } = receivedSchema.parse(result);
    const inFlight = store.getQueue(QueueUrl)?.inflightMessages;
    return {
      ...rest,
      Messages: Messages?.map((received) => {
        const message = inFlight?.get(received.ReceiptHandle)?.message;
        const trace = message && this.#notes.get(message.messageAttributes)?.trace;
        return trace === undefined
          ? received
          : { ...received, Attributes: { ...received.Attributes, AWSTraceHeader: trace } };
      }),
    };
  }

  #note(entry: z.infer<typeof entrySchema>, trace: string | undefined) {
    const { MessageGroupId: group } = entry;
    if (group === undefined && trace === undefined) return entry;
    const MessageAttributes = { ...entry.MessageAttributes };
    this.#notes.set(MessageAttributes, { group, trace });
    return { ...entry, MessageAttributes };
  }
}
