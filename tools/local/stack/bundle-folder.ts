import { existsSync } from 'node:fs';
import path from 'node:path';
import { folderOf } from '../aws/lambda/invocation-record.ts';
import type { FunctionModel } from '../template/function-model.ts';

/** Replaces the function's bundle by that of another build, if the build has one. */
export function withBundlesOf(bundleFolder: string | undefined, model: FunctionModel): FunctionModel {
  if (bundleFolder === undefined) return model;
  const codeDirectory = path.join(bundleFolder, folderOf(model));
  return existsSync(path.join(codeDirectory, 'index.mjs')) ? { ...model, codeDirectory } : model;
}
