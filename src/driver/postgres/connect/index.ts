export { sendCancel } from './cancel-request.ts';
export { type ConnectedServer, connectServer } from './connect-server.ts';
export { readConnectSettings } from './read-settings.ts';
export type { ConnectSettings } from './settings.ts';
