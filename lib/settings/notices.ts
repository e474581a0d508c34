import * as z from 'zod';
import { isNoticeTarget, topicExample } from './arns.ts';

/** Where notices about failing endpoints go: a topic or a bus, created or given. Default: nowhere. */
export const noticeTarget = z
  .string()
  .refine(isNoticeTarget)
  .transform((target) => (target === 'none' ? undefined : target))
  .prefault('none')
  .describe(
    `none, topic, bus, or the ARN of an SNS topic (not FIFO) or of an EventBridge bus, such as ${topicExample}`,
  );
