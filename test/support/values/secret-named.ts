/** A well-formed signing secret that shows its name. @param name letters and digits */
export function secretNamed(name: string): string {
  return `whsec_${name.repeat(42).slice(0, 42)}A=`;
}
