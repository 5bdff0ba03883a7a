import assert from 'node:assert/strict';
import test from 'node:test';
import { areas } from './areas.ts';
import { runContract } from './behaviour.ts';
import { memory, memoryDriver } from './memory.ts';

runContract(memory, areas);

test('memory: nothing is left open after the contract', () => {
  assert.equal(memoryDriver.openCount, 0);
});
