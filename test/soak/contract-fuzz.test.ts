import { contractFuzz } from '../support/life/contract-fuzz.ts';

contractFuzz({ accepted: 60, refused: 150 });
