export type { ContractSource, Operation } from "./contract.ts";
export { Contract } from "./contract.ts";
export { Faults } from "./faults.ts";
export type {
    Answer,
    Call,
    ContractServer,
    ContractServerOptions,
    Handler,
    LoggedRequest,
} from "./server.ts";
export { Refusal, startContractServer } from "./server.ts";
