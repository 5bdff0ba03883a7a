import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Driver, openDatabase } from 'recurve/adbc';
import { FakeDriver } from './fake-driver.ts';
import { connectFake, failsWith } from './fixture.ts';

const scripts = { three: {}, empty: { batches: 0 }, 'write three': {} };

async function partitionOf(t: Parameters<typeof connectFake>[0], sql = 'three'): Promise<Uint8Array> {
  const { connection } = await connectFake(t, scripts);
  const { partitions } = await (await connection.prepare(sql)).executePartitions([1, 'two']);
  assert.equal(partitions.length, 1);
  return partitions[0] ?? new Uint8Array();
}

describe('a partition', () => {
  test('runs the statement with its parameters and options, then closes it', async (t) => {
    const partition = await partitionOf(t);
    const { driver, connection } = await connectFake(t, scripts);
    const result = await connection.readPartition(partition, { path: 'copy' });
    assert.equal((await result.table()).numRows, 30);
    assert.deepEqual(driver.requests[0]?.parameters, [1, 'two']);
    assert.equal(driver.requests[0]?.path, 'copy');
    assert.deepEqual(driver.calls.slice(2, 4), ['prepare three', 'run three']);
    await connection.execute('three');
    assert.equal(driver.alive.statements, 0);
  });

  test('is read from memory that is not aligned, and survives its input being changed', async (t) => {
    const partition = await partitionOf(t);
    const { driver, connection } = await connectFake(t, scripts);
    const shifted = new Uint8Array(partition.length + 3);
    shifted.set(partition, 3);
    const view = shifted.subarray(3);
    const reading = connection.readPartition(view);
    view.fill(0);
    assert.equal((await (await reading).table()).numRows, 30);
    assert.deepEqual(driver.requests[0]?.parameters, [1, 'two']);
  });

  test('damaged anywhere is INVALID_ARGUMENT', async (t) => {
    const partition = await partitionOf(t);
    const { connection, driver } = await connectFake(t, scripts);
    for (let at = 0; at < partition.length; at++) {
      const damaged = partition.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      await assert.rejects(connection.readPartition(damaged), failsWith('INVALID_ARGUMENT'), `byte ${at}`);
    }
    for (let length = 0; length < partition.length; length += 7) {
      await assert.rejects(connection.readPartition(partition.subarray(0, length)), failsWith('INVALID_ARGUMENT'));
    }
    const longer = new Uint8Array([...partition, 0]);
    await assert.rejects(connection.readPartition(longer), failsWith('INVALID_ARGUMENT', /damaged/));
    assert.deepEqual(driver.calls.slice(2), [], 'the source was not asked');
  });

  test('of something else, another version or another driver says so', async (t) => {
    const partition = await partitionOf(t);
    const { connection } = await connectFake(t, scripts);
    await assert.rejects(
      connection.readPartition(new TextEncoder().encode('SELECT 1; SELECT 2')),
      failsWith('INVALID_ARGUMENT', /these 18 bytes are no partition/),
    );
    await assert.rejects(
      connection.readPartition('RCVP' as unknown as Uint8Array),
      failsWith('INVALID_ARGUMENT', /is "RCVP", but must be a Uint8Array/),
    );
    const newer = partition.slice();
    newer[4] = 2;
    await assert.rejects(
      connection.readPartition(newer),
      failsWith('INVALID_ARGUMENT', /version 2, this is version 1/),
    );
    const fake = new FakeDriver(scripts);
    const other: Driver = { name: 'other', open: (options, call) => fake.open(options, call) };
    const database = await openDatabase(other, new Map([['uri', 'other:']]));
    await assert.rejects(
      (await database.connect()).readPartition(partition),
      failsWith('INVALID_ARGUMENT', /of driver fake, this connection of other/),
    );
    await database.close();
  });

  test('of a statement that may change the source is neither made nor read', async (t) => {
    const { connection, driver } = await connectFake(t, scripts);
    const writing = await connection.prepare('write three');
    await assert.rejects(writing.executePartitions(), failsWith('INVALID_ARGUMENT', /may change the source/));
    // As someone might forge it: with a text of the same length in place, and the checksum made good.
    const forged = forge(await partitionOf(t), 'three', 'write');
    await assert.rejects(connection.readPartition(forged), failsWith('INVALID_ARGUMENT', /may change the source/));
    assert.ok(!driver.calls.some((call) => call.startsWith('run')));
  });
});

/** The descriptor with another text in it, and its CRC-32 made anew. */
function forge(partition: Uint8Array, from: string, to: string): Uint8Array {
  const forged = Buffer.from(partition);
  const at = forged.indexOf(from);
  assert.ok(at > 0 && from.length === to.length);
  forged.write(to, at);
  let crc = 0xffff_ffff;
  for (const byte of forged.subarray(9)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  forged.writeUInt32LE(~crc >>> 0, 5);
  return new Uint8Array(forged);
}
