import * as z from 'zod';
import { flagText } from './setting-texts.ts';

/** What a stage has only if a setting says so: ways into the intake, and a receiver for smoke tests. */
export type OptionalParts = {
  /** Principals of other programs that may send to the intake. Default: none. */
  readonly producers: readonly string[];
  /** Whether the stage has an EventBridge bus that leads to the intake. Default: false. */
  readonly eventBus: boolean;
  /** Whether the app has the stack of the receiver for smoke tests. Default: false. */
  readonly smokeReceiver: boolean;
};

const account = String.raw`\d{12}`;
/** Named principals only: no user, whose access keys do not expire, and no wildcard. */
const producer = new RegExp(
  `^(${account}|arn:aws[a-z-]*:iam::${account}:(root|role/([\\w+=,.@-]+/)*[\\w+=,.@-]{1,64}))$`,
);

export const optionalPartsSettings = {
  producers: z
    .string()
    .refine((text) => isListOf(text, producer))
    .optional(),
  eventBus: z.enum(['none', 'create']).default('none'),
  smokeReceiver: flagText.default(false),
};

export const expectedOptionalParts: Readonly<Record<keyof OptionalParts, string>> = {
  producers:
    'account ids or ARNs of roles, separated by commas without spaces, such as ' +
    '123456789012,arn:aws:iam::123456789012:role/run-engine',
  eventBus: 'none or create',
  smokeReceiver: 'true or false',
};

type Given = {
  readonly producers?: string | undefined;
  readonly eventBus: 'none' | 'create';
  readonly smokeReceiver: boolean;
};

export function optionalPartsOf({ producers, eventBus, smokeReceiver }: Given): OptionalParts {
  return { producers: producers?.split(',') ?? [], eventBus: eventBus === 'create', smokeReceiver };
}

function isListOf(text: string, form: RegExp): boolean {
  const entries = text.split(',');
  return entries.every((entry) => form.test(entry)) && new Set(entries).size === entries.length;
}
