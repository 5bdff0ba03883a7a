export { batchByteLength } from './batch-size.ts';
export { type Cost, newCost } from './cost.ts';
export type { Path } from './path.ts';
export type { Plan } from './plan.ts';
export { type DeliveryReport, formatReport, type Outcome } from './report.ts';
export {
  BatchWindow,
  type BatchWindowOptions,
  defaultWindowBytes,
  type WindowEnd,
  type WindowObserver,
} from './window.ts';
