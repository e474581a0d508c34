import { z } from 'zod';

/** Functions log JSON. Anything else is a crash, or comes from the runner. */
const entry = z.object({
  level: z.string(),
  message: z.string(),
  step: z.string().optional(),
  reason: z.string().optional(),
  cause: z.object({ message: z.string() }).optional(),
});

/** Says that a message returned to its queue, so its delivery is minutes late. */
const released = 'attempt.released';

/** Describes a log line that a measurement should not have, without times and ids; `null` for any other line. */
export function faultOf(source: string, line: string): string | null {
  if (isOrdinary(line)) return null;
  const parsed = entry.safeParse(jsonOf(line));
  if (!parsed.success) return `${source}: ${line}`;
  const { level, message, step, reason, cause } = parsed.data;
  if (level === 'INFO' && message !== released) return null;
  return [`${source}: ${message}`, step, reason, cause?.message]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Tells most lines apart without parsing them, because a measurement shares its processors with this program. */
function isOrdinary(line: string): boolean {
  return line.startsWith('{') && line.includes('"level":"INFO"') && !line.includes(released);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
