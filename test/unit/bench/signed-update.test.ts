import { describe, expect, it } from 'vitest';
import { UpdateSigner } from '../../../bench/pipeline/signed-update.ts';

const now = new Date('2026-01-31T23:59:59.500Z');
const signer = new UpdateSigner({ host: '127.0.0.1:8000', region: 'us-east-1', now });

describe('UpdateSigner', () => {
  it('names the day, the region and the signed headers', () => {
    const { Authorization, 'X-Amz-Date': date, 'Content-Length': length } = signer.headers('{"é":1}', now);

    expect(date).toBe('20260131T235959Z');
    expect(length).toBe('8');
    expect(Authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=local\/20260131\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=[0-9a-f]{64}$/,
    );
  });
});
