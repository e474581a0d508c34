import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** Reading by the owner, the group and others. */
const readByAll = 0o444;

/**
 * The files of a folder as the code of a function. Lambda runs as another user than the owner of the files, and gets them
 * with their modes: those written or installed under a umask such as 077 could not be loaded there.
 */
export function readableCode(folder: string): Code {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) makeReadable(join(entry.parentPath, entry.name));
  }
  return Code.fromAsset(folder);
}

function makeReadable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & readByAll) !== readByAll) chmodSync(file, mode | readByAll);
}
