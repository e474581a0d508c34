import { KeyObject, webcrypto } from 'node:crypto';
import { loadX509 } from '../../../tools/local/parties/receiver/certificates.ts';

const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const rsaSigning = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
} as const;
const hourMs = 60 * 60 * 1000;

export type Certificate = { readonly cert: string; readonly key: string };

export type CertificateWish = {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  /** Common name; not a name that verification may use. */
  readonly commonName?: string;
  /** Hours from now. */
  readonly from?: number;
  readonly until?: number;
  /** Of the certificate's own key. Default P-256. */
  readonly keys?: 'P-256' | 'RSA' | 'RSA-1024';
};

type Issuer = { readonly issuer: string; readonly signingKey: webcrypto.CryptoKey };

export type TestAuthority = {
  /** PEM; the connecting side has to trust it. */
  readonly ca: string;
  issue(wish: CertificateWish): Promise<Certificate>;
};

/** A certificate authority for one test; its keys are never stored. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify']);
  const issuer = 'CN=Test authority';
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity({}),
    name: issuer,
    keys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    ca: ca.toString('pem'),
    issue: (wish) => makeCertificate(wish, { issuer, signingKey: keys.privateKey }),
  };
}

export function createSelfSigned(wish: CertificateWish): Promise<Certificate> {
  return makeCertificate(wish);
}

/** Without an issuer, its own key signs the certificate. */
async function makeCertificate(wish: CertificateWish, issuer?: Issuer): Promise<Certificate> {
  const x509 = await loadX509();
  const { dns = [], ip = [], commonName = 'receiver', keys = 'P-256' } = wish;
  const modulusLength = keys === 'RSA-1024' ? 1024 : 2048;
  const algorithm = keys === 'P-256' ? signing : { ...rsaSigning, modulusLength };
  const own = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const subject = `CN=${commonName}`;
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ip.map((value) => ({ type: 'ip' as const, value })),
  ];
  const cert = await x509.X509CertificateGenerator.create({
    ...validity(wish),
    subject,
    publicKey: own.publicKey,
    signingAlgorithm: signing,
    extensions: names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)],
    ...(issuer ?? { issuer: subject, signingKey: own.privateKey }),
  });
  const key = KeyObject.from(own.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: cert.toString('pem'), key: key.toString() };
}

function validity({ from = -1, until = 1 }: CertificateWish): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now + from * hourMs), notAfter: new Date(now + until * hourMs) };
}
