export { sendCancel } from './cancel-request.ts';
export { type ConnectedServer, connectServer } from './connect-server.ts';
export { type ReadSettings, readConnectSettings, type SettingsContext } from './read-settings.ts';
export type { ConnectSettings } from './settings.ts';
export type { BackendKey } from './start-up.ts';
