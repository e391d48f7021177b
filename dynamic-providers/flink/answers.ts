import * as z from "zod";

/** Answers of Flink's REST API (1.20.3 observed), as far as they are read. */

/** `GET /jars` */
export const jarList = z.object({ files: z.array(z.object({ id: z.string(), name: z.string() })) });

/** `GET /jobs/overview` */
export const jobOverview = z.object({
    jobs: z.array(
        z.object({ jid: z.string(), name: z.string(), state: z.string(), "start-time": z.number() }),
    ),
});

/** `GET /jobs/<id>` */
export const jobDetail = z.object({
    vertices: z.array(z.object({ name: z.string(), status: z.string() })),
});

/** `GET /jobs/<id>/exceptions` */
export const exceptionHistory = z.object({
    exceptionHistory: z.object({ entries: z.array(z.object({ stacktrace: z.string() })) }),
});

/** `GET /jobs/<id>/checkpoints` */
export const checkpoints = z.object({
    counts: z.object({ completed: z.int(), restored: z.int() }),
    latest: z
        .object({
            completed: z.object({ external_path: z.string().nullish() }).nullish(),
            savepoint: z
                .object({ external_path: z.string().nullish(), checkpoint_type: z.string().nullish() })
                .nullish(),
        })
        .nullish(),
});

/** See {@link checkpoints}. */
export type Checkpoints = z.output<typeof checkpoints>;

/** `GET /jobs/<id>/checkpoints/config` */
export const checkpointing = z.object({ externalization: z.object({ enabled: z.boolean() }) });

/** `GET /jobs/<id>/savepoints/<trigger>` */
export const savepointState = z.object({
    status: z.object({ id: z.string() }),
    operation: z
        .object({
            location: z.string().optional(),
            "failure-cause": z.object({ "stack-trace": z.string().optional() }).optional(),
        })
        .nullish(),
});
