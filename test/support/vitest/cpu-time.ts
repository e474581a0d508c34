import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc, on every Linux. */
const ticksPerSecond = 100;

/** CPU seconds, user and system, of this process and, on Linux, of its children that have ended. */
export function cpuSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name in parentheses may contain spaces. Behind it, the fields 14 to 17 of proc(5) are at 11 to 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}
