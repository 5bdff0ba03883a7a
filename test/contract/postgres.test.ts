import { areas } from './areas.ts';
import { runContract } from './behaviour.ts';
import { postgres } from './postgres.ts';

runContract(postgres, areas);
