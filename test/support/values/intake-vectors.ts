import * as z from 'zod';
import faults from '../../vectors/intake-faults.json' with { type: 'json' };
import texts from '../../vectors/intake-texts.json' with { type: 'json' };
import { intakeExamples } from './intake-messages.ts';
import { buildVideo, someScores } from './stored-results.ts';

const problem = { type: 't', title: 't', status: 502, code: 'vendor_error', detail: 't' };
const video = buildVideo({ scores: { ...someScores, reason: 'new' } });
const { 'run.settled': settled, 'change_report.written': written, 'creator_videos.saved': saved } = intakeExamples;

/** One message of each type with a value for every member that may be absent. */
const fullMessages = new Map<string, unknown>(
  Object.entries({
    ...intakeExamples,
    'run.settled': { ...settled, run: { ...settled.run, error: problem, problems: [problem] } },
    'run.items_saved': { ...intakeExamples['run.items_saved'], items: [video] },
    'change_report.written': { ...written, run: { ...written.run, error: problem } },
    'creator_videos.saved': { ...saved, videos: [video] },
  }),
);

/** @param value leaves the member out when it is `undefined` */
function withMember(record: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(record)) {
    return record.map((item, index) => (String(index) === name ? withMember(item, rest, value) : item));
  }
  const members = new Map(record instanceof Object ? Object.entries(record) : []);
  members.set(name, withMember(members.get(name), rest, value));
  return Object.fromEntries([...members].filter(([, given]) => given !== undefined));
}

/** A message of a type with another value of one member, whose path has dots. */
export function messageWith(type: string, member: string, value?: unknown): unknown {
  return withMember(fullMessages.get(type), member === '' ? [] : member.split('.'), value);
}

const split = (member: string) => /^(\S+) (\S+)$/.exec(member)?.slice(1) ?? [];
const placed = <T extends object>(members: readonly string[], vectors: readonly T[]) =>
  members.flatMap((path) => {
    const [type = '', member = ''] = split(path);
    return vectors.map((vector) => ({ ...vector, type, member }));
  });

const { machine_texts: machine, kept_texts: kept } = texts;

const read = (text: string): string => z.string().parse(JSON.parse(`"${text}"`));

/** Messages that the intake refuses, with all that is wrong. */
export const refusedMessages = [
  ...faults.faults.map(({ message: type, member, fault, ...given }) => ({
    name: `${type} with ${member || 'the message'} ${'value' in given ? JSON.stringify(given.value) : 'left out'}`,
    message: messageWith(type, member, given.value),
    fault: `${member || 'message'}: ${fault}`,
  })),
  ...placed(machine.members, machine.refused).map(({ type, member, name, text }) => ({
    name: `${name} in ${member} of ${type}`,
    message: messageWith(type, member, `a${read(text)}b`),
    fault: `${member}: ${machine.refusal}`,
  })),
];

/** Messages that the intake takes, with the text that it stores. */
export const acceptedMessages = [
  ...placed(machine.members, machine.accepted).map(({ text, ...rest }) => ({
    ...rest,
    given: text,
    stored: text,
  })),
  ...placed(kept.members, kept.texts),
].map(({ name, type, member, given, stored }) => ({
  name: `${name} in ${member} of ${type}`,
  message: messageWith(type, member, read(given)),
  member,
  stored: read(stored),
}));
