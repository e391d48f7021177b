import { faultsAtEveryCall } from "./every-call.ts";
import { flinkSqlScenarios } from "./flink-sql.ts";

faultsAtEveryCall(flinkSqlScenarios);
