// The program of the pack, which `policy-pack` starts: making the pack serves it to the engine.
import { lakehousePolicyPack, rules } from "./index.ts";

lakehousePolicyPack(rules);
