import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusCodes } from 'recurve';

test("statuses have ADBC's numbers (adbc.h) and gRPC's codes (Status codes and their use in gRPC)", () => {
  const numbers = Object.fromEntries(Object.entries(statusCodes).map(([name, { adbc, grpc }]) => [name, [adbc, grpc]]));
  assert.deepEqual(numbers, {
    UNKNOWN: [1, 2],
    NOT_IMPLEMENTED: [2, 12],
    NOT_FOUND: [3, 5],
    ALREADY_EXISTS: [4, 6],
    INVALID_ARGUMENT: [5, 3],
    INVALID_STATE: [6, 9],
    INVALID_DATA: [7, 15],
    INTEGRITY: [8, 10],
    INTERNAL: [9, 13],
    IO: [10, 14],
    CANCELLED: [11, 1],
    TIMEOUT: [12, 4],
    UNAUTHENTICATED: [13, 16],
    UNAUTHORIZED: [14, 7],
  });
});

test('statuses exit as the command documents: 3 for authentication, 4 for a time-out, 130 for an interrupt, else 1', () => {
  const special: Record<string, number> = { UNAUTHENTICATED: 3, UNAUTHORIZED: 3, TIMEOUT: 4, CANCELLED: 130 };
  for (const [name, { exit, http }] of Object.entries(statusCodes)) {
    assert.equal(exit, special[name] ?? 1, name);
    assert.ok(http >= 400 && http < 600, name);
  }
});
