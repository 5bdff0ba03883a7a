import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hashCertificate } from '../../../../src/driver/postgres/connect/certificate-hash.ts';
import { tlsFile } from '../server.ts';

// Self-signed certificates of OpenSSL 3.0 (`openssl req -x509 -outform DER`), by the algorithm of their signature and the
// hash that RFC 5929, 4.1, binds to: MD5 and SHA-1 are replaced by SHA-256.
const certificates: readonly (readonly [signature: string, hash: string | undefined, der: string])[] = [
  [
    'ECDSA with SHA-1',
    'sha256',
    'MIIBczCCARqgAwIBAgIUV4pwzMatAXgh3KAHHuJftBuAOkwwCQYHKoZIzj0EATAPMQ0wCwYDVQQDDARzaGExMCAXDTI2MTIwMTA1' +
      'NTgzM1oYDzIxMjYxMTA3MDU1ODMzWjAPMQ0wCwYDVQQDDARzaGExMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3MOrw4n+kpsR' +
      '2DETci/QhNwuKcCg7t63sjBdJsPQSPbnMybt3j2mV97EDiRAsxnoMx5qpzOX1vBiyG3/c4bVQKNTMFEwHQYDVR0OBBYEFAlwXWGf' +
      '45Mz+YIJjmjmbkWffUUvMB8GA1UdIwQYMBaAFAlwXWGf45Mz+YIJjmjmbkWffUUvMA8GA1UdEwEB/wQFMAMBAf8wCQYHKoZIzj0E' +
      'AQNIADBFAiEA6J0g8JPpgU2Feuvl4PeirfZtnzmuwcYLvXiy31+5M5oCIF8Uu1nwvoTMHeqJvleb07Cj5YL5uDLJ29MdmkX68eYI',
  ],
  [
    'ECDSA with SHA-384',
    'sha384',
    'MIIBeTCCAR+gAwIBAgIUNo+kV9jNgHPiXZIATib22xDFXGUwCgYIKoZIzj0EAwMwETEPMA0GA1UEAwwGc2hhMzg0MCAXDTI2MTIw' +
      'MTA1NTgzM1oYDzIxMjYxMTA3MDU1ODMzWjARMQ8wDQYDVQQDDAZzaGEzODQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS5PpGS' +
      'b9vcS97mHXtMM6HydpVOCPgQOWQy706aWym7T+qLRHKa33wwk9IwVeN//kAyo+yeyrXRuDgvcnFk+AAPo1MwUTAdBgNVHQ4EFgQU' +
      '3YB/vcvHKZyBEs4poEttSJ2asOcwHwYDVR0jBBgwFoAU3YB/vcvHKZyBEs4poEttSJ2asOcwDwYDVR0TAQH/BAUwAwEB/zAKBggq' +
      'hkjOPQQDAwNIADBFAiBhuMlsK/HWr5is1xdhd0r77TFe2SH21hEUB67pHFQ/ewIhAL27jr103E2NYYbOTXozt9vZRcXiIDOKNHfX' +
      'PqG0cb0/',
  ],
  [
    'RSA with MD5',
    'sha256',
    'MIIB+jCCAWOgAwIBAgIUeYo4Fuyb5w0b1xH34jenRixWNS0wDQYJKoZIhvcNAQEEBQAwDjEMMAoGA1UEAwwDbWQ1MCAXDTI2MTIw' +
      'MTA1NTgzM1oYDzIxMjYxMTA3MDU1ODMzWjAOMQwwCgYDVQQDDANtZDUwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBAMHli7y2' +
      'T/jJKd6rw+WzGZenYYZPn3XMniUu8hJxoxZ5iI8dtrWq9rMvGWFn12FEy+EZN85pjHaHL4q//GmZfoJJIAUXnxFXFcHTCX9FG2w5' +
      'Xpsn+/l/ZfAOdQxP9YEjT3FqLCEz+kSiW7LW6GNk/pVZYjIwbXc1eqm57Zjjfc4zAgMBAAGjUzBRMB0GA1UdDgQWBBSvK8d29bVP' +
      'Il0LaJuwfEg1cuQQuzAfBgNVHSMEGDAWgBSvK8d29bVPIl0LaJuwfEg1cuQQuzAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEB' +
      'BAUAA4GBAEa4o4VW3BmDpk5mrV2lVbCjgpub5Vco497f7Hr3wbfVE/2LAk6WZpjrdc+8oU9z9b+NeTrggoqVznoQhtg9ADxC7f28' +
      'JJ+rReUtapyhQhBn8ckmAOTg5+P+IdPBX/2kQaz2PWroHKzy+VD97y2Xf24qiwTHNz5JHCwz0WxDgcN9',
  ],
  [
    'RSASSA-PSS with SHA-384',
    'sha384',
    'MIICXjCCAZigAwIBAgIUceqq5pd5QCaq3cCMiNqqLKCvgjUwPAYJKoZIhvcNAQEKMC+gDzANBglghkgBZQMEAgIFAKEcMBoGCSqG' +
      'SIb3DQEBCDANBglghkgBZQMEAgIFADARMQ8wDQYDVQQDDAZwc3MzODQwIBcNMjYxMjAxMDU1ODMzWhgPMjEyNjExMDcwNTU4MzNa' +
      'MBExDzANBgNVBAMMBnBzczM4NDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEA5JOJAPlIMIPe8bWaAvT2sKYxXR7dNnjSTbw6' +
      'hyNB6FNvuKqFg6H2sXoTIs+vIAuPA4MhDp+fZc7BxNHQIyZIlf1jq0T3tfJFwXY15sosIpbAOlWoxP/aBqi9OFvTPWABNAIQpvX+' +
      'q6nonLmjCcmcvpUrgRJCZU+W4NcWAC2sbP8CAwEAAaNTMFEwHQYDVR0OBBYEFNXqWq1YrjaBzpDlkzsY9770w1TCMB8GA1UdIwQY' +
      'MBaAFNXqWq1YrjaBzpDlkzsY9770w1TCMA8GA1UdEwEB/wQFMAMBAf8wPAYJKoZIhvcNAQEKMC+gDzANBglghkgBZQMEAgIFAKEc' +
      'MBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgIFAAOBgQCK04e3I3CZihapGyhyS2GRH21XW07A0HsnpBrJgSl1r3INpV+rM4DroLuj' +
      'MMsBC9GwOySpEh4ESCNGbF/tJ0UUxecLPe8QzsEyuNSZRXGxqUxg6wP7dlvCRYdoab5lbMzCqi1A+lc/0uQhgSU9dBuKcGe5O8Jj' +
      'yuajRatEr0gejw==',
  ],
  [
    'RSASSA-PSS with its default, SHA-1',
    'sha256',
    'MIIB/DCCAWWgAwIBAgIURXrYC1X2rUlmI83tk35TCr1uOVkwDQYJKoZIhvcNAQEKMAAwDzENMAsGA1UEAwwEcHNzMTAgFw0yNjEy' +
      'MDEwNTU4MzNaGA8yMTI2MTEwNzA1NTgzM1owDzENMAsGA1UEAwwEcHNzMTCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAvLcG' +
      '7qzRL3SuiYe8X7YRZROvVblIISH3S0DLGaW1JrEe0Oh0GGvyC8+B/7IQSZpK1tnH7QvhzsSR+JEI47gSH2+sKz5jKWMtd7U+Za1r' +
      'AhtyIs8jemla+WRigy/puMZvHuY10XNRyrong6++DRa5H1bZK4OZRVfFU2Ej7E3/d1sCAwEAAaNTMFEwHQYDVR0OBBYEFPHMqpNH' +
      'zS9eFI++zdubLXXDEycgMB8GA1UdIwQYMBaAFPHMqpNHzS9eFI++zdubLXXDEycgMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcN' +
      'AQEKMAADgYEAXhjmgMf5BIOKx50jSCSP3SOwyVhky7nuL6AzFmVN2Obqryd5Sa2WkCmwOuU7I75gAxsAsjSm6E1khccYr1uw8wUQ' +
      'iq9xRkxPU2lY/gsoVfE7YCumZem8Qq/sMkuJaLMyZWMK4xpnuVDDXFmn6HWZNHfsHHunHZpuGwWpieeyt5Q=',
  ],
  [
    'Ed25519, which has no hash',
    undefined,
    'MIIBOjCB7aADAgECAhR0Y2XiJABOzyjZ+/U8X6XalsDoKjAFBgMrZXAwEjEQMA4GA1UEAwwHZWQyNTUxOTAgFw0yNjEyMDEwNTU4' +
      'MzNaGA8yMTI2MTEwNzA1NTgzM1owEjEQMA4GA1UEAwwHZWQyNTUxOTAqMAUGAytlcAMhAHhB2jjMyInW2NNpQWaHICBkdrtuMHCX' +
      'wsyfVC0OiSoQo1MwUTAdBgNVHQ4EFgQUP+iZERxLJsoV91svoMT8QSLDom8wHwYDVR0jBBgwFoAUP+iZERxLJsoV91svoMT8QSLD' +
      'om8wDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQA1FkrtO/q1I4CMivlXZ5gKQYhCxSFSBXy8zH5yYu0rdD3ITgmyknQpCSFy97xI' +
      'Hy1stCTHRvPPfAf3oSJ8OJEP',
  ],
];

describe('the hash of a certificate for channel binding', () => {
  for (const [signature, hash, der] of certificates) {
    test(`of one signed by ${signature}`, () => {
      const bytes = Buffer.from(der, 'base64');
      const expected = hash === undefined ? undefined : createHash(hash).update(bytes).digest();
      assert.deepEqual(hashCertificate(bytes), expected);
    });
  }

  test('of the certificates that servers are tested with', () => {
    for (const [name, hash] of [
      ['server.crt', 'sha256'],
      ['server-sha512.crt', 'sha512'],
    ] as const) {
      const { raw } = new X509Certificate(readFileSync(tlsFile(name)));
      assert.deepEqual(hashCertificate(raw), createHash(hash).update(raw).digest());
    }
  });

  test('of what is none is undefined, wherever it is cut', () => {
    const bytes = Buffer.from(certificates[0]?.[2] ?? '', 'base64');
    for (let end = 0; end < bytes.length; end++) assert.equal(hashCertificate(bytes.subarray(0, end)), undefined);
    assert.equal(hashCertificate(Buffer.alloc(100, 0x30)), undefined);
  });
});
