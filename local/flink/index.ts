export { FlinkError, innermostCause } from "./failure.ts";
export { type Execution, SqlGateway, type SqlResult, type SqlRow, SqlSession } from "./gateway.ts";
export type { ClientOptions } from "./http.ts";
export {
    FlinkRest,
    type JobDetail,
    type JobException,
    type JobSummary,
    type RunJar,
    terminalStates,
    type UploadedJar,
} from "./rest.ts";
