import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Schedule, scheduleKey, scheduleSchema } from './schedule.ts';

const groupSchema = z.object({ name: z.string(), createdAt: z.number() });

/** A group of schedules; `createdAt` in epoch milliseconds. */
export type ScheduleGroup = z.infer<typeof groupSchema>;

const lineSchema = z.union([
  z.object({ schedule: scheduleSchema }),
  z.object({ group: groupSchema }),
  z.object({ deletedSchedule: z.string() }),
  z.object({ deletedGroup: z.string() }),
]);

type Line = z.infer<typeof lineSchema>;

/** The log is rewritten when it has grown to this many lines and to several times of what still stands. */
const compactFromLines = 10_000;

/**
 * Schedules and groups in memory, and in a log when a file is given. A change is in the file before its method
 * returns, so what was answered outlives the process.
 */
export class ScheduleStore {
  readonly #schedules = new Map<string, Schedule>();
  readonly #groups = new Map<string, ScheduleGroup>();
  readonly #file: string | null;
  #descriptor: number | null = null;
  #lines = 0;

  constructor(file: string | null) {
    this.#file = file;
    if (file === null) return;
    mkdirSync(dirname(file), { recursive: true });
    for (const line of readLines(file)) this.#apply(line);
    this.#rewrite(file);
  }

  get(group: string, name: string): Schedule | undefined {
    return this.#schedules.get(scheduleKey(group, name));
  }

  group(name: string): ScheduleGroup | undefined {
    return this.#groups.get(name);
  }

  schedules(): Iterable<Schedule> {
    return this.#schedules.values();
  }

  groups(): Iterable<ScheduleGroup> {
    return this.#groups.values();
  }

  put(schedule: Schedule): void {
    this.#record({ schedule });
  }

  putGroup(group: ScheduleGroup): void {
    this.#record({ group });
  }

  delete(group: string, name: string): void {
    this.#record({ deletedSchedule: scheduleKey(group, name) });
  }

  /** Deletes the schedules of the group with it. */
  deleteGroup(name: string): void {
    this.#record({ deletedGroup: name });
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #record(line: Line): void {
    if (this.#descriptor !== null) {
      writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
      this.#lines += 1;
    }
    this.#apply(line);
    const standing = this.#schedules.size + this.#groups.size;
    if (this.#file !== null && this.#lines > compactFromLines && this.#lines > 4 * standing) {
      this.#rewrite(this.#file);
    }
  }

  #apply(line: Line): void {
    if ('schedule' in line) {
      this.#schedules.set(scheduleKey(line.schedule.GroupName, line.schedule.Name), line.schedule);
    } else if ('group' in line) {
      this.#groups.set(line.group.name, line.group);
    } else if ('deletedSchedule' in line) {
      this.#schedules.delete(line.deletedSchedule);
    } else {
      this.#groups.delete(line.deletedGroup);
      for (const [key, { GroupName }] of this.#schedules) {
        if (GroupName === line.deletedGroup) this.#schedules.delete(key);
      }
    }
  }

  /** Replaces the log by what still stands; a crash leaves the old file or the new one, never a part. */
  #rewrite(file: string): void {
    const lines: Line[] = [
      ...[...this.#groups.values()].map((group) => ({ group })),
      ...[...this.#schedules.values()].map((schedule) => ({ schedule })),
    ];
    const temporary = `${file}.new`;
    writeFileSync(temporary, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    renameSync(temporary, file);
    this.close();
    this.#descriptor = openSync(file, 'a');
    this.#lines = lines.length;
  }
}

/** The last line may be torn by a crash; its call was never answered, so it is left out. */
function readLines(file: string): Line[] {
  if (!existsSync(file)) return [];
  const complete = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return complete.map((line) => lineSchema.parse(JSON.parse(line)));
}
