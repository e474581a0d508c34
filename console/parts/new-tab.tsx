import type { ComponentChildren } from 'preact';

/** A link that opens beside the console, as those to the documentation do: what the reader has typed stays. */
export function NewTab({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
