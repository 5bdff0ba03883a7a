import { parentPort } from 'node:worker_threads';
import { fromTransferable, tableToIPC, toTransferable } from 'recurve/arrow';

// Answers each batch with the IPC stream that it makes of it, and with the batch itself.
parentPort?.on('message', (message) => {
  const batch = fromTransferable(message);
  const ipc = tableToIPC({ schema: batch.schema, batches: [batch] });
  const { message: back, transfer } = toTransferable(batch, { dictionaries: 'transfer' });
  parentPort?.postMessage({ ipc, back }, transfer);
});
