// One job queue as its documentation advises for throughput, whose jobs do nothing. It takes one command a line, `ID submit`,
// `ID batch COUNT` or `ID done`, several at once, and answers each by `ID ok`, `ID yes`, `ID no` or `ID failed REASON`.
// Usage: node queue.mjs graphile-worker|pg-boss DIRECTORY_OF_PACKAGES URL
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [system, packages, url] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const { Pool } = require("pg");
const pool = new Pool({ connectionString: url, max: 20 });
let submitted = 0;
let executed = 0;

/** 24 jobs at a time, polled each 100 ms beside LISTEN, since its README measures with 24. */
async function graphileWorker() {
  const { run } = require("graphile-worker");
  const runner = await run({
    pgPool: pool,
    concurrency: 24,
    pollInterval: 100,
    noHandleSignals: true,
    taskList: { noop: async () => void executed++ },
    logger: new (require("graphile-worker").Logger)(() => () => {}),
  });
  return {
    submit: () => runner.addJob("noop", {}),
    batch: (count) =>
      pool.query(
        "SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(SELECT json_populate_record(" +
          "NULL::graphile_worker.job_spec, '{\"identifier\": \"noop\", \"payload\": {}}') FROM generate_series(1, $1)))",
        [count],
      ),
    left: "SELECT EXISTS (SELECT FROM graphile_worker.jobs) AS some",
  };
}

/** Four workers that fetch 500 jobs each, polled each half second, the shortest that it takes. */
async function pgBoss() {
  const PgBoss = require("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on("error", (failed) => console.error(failed));
  await boss.start();
  await boss.createQueue("noop");
  for (let worker = 0; worker < 4; worker++) {
    await boss.work("noop", { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      executed += jobs.length;
    });
  }
  return {
    submit: () => boss.send("noop", {}),
    batch: (count) => boss.insert(Array.from({ length: count }, () => ({ name: "noop", data: {} }))),
    left: "SELECT EXISTS (SELECT FROM pgboss.job WHERE name = 'noop' AND state < 'completed') AS some",
  };
}

const queue = await (system === "pg-boss" ? pgBoss() : graphileWorker());

async function done() {
  return executed >= submitted && !(await pool.query(queue.left)).rows[0].some;
}

async function answer(command, count) {
  switch (command) {
    case "submit":
      submitted++;
      await queue.submit();
      return "ok";
    case "batch":
      submitted += count;
      await queue.batch(count);
      return "ok";
    case "done":
      return (await done()) ? "yes" : "no";
    default:
      throw new Error(`unknown command ${command}`);
  }
}

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [id, command, count] = line.split(" ");
  answer(command, Number(count)).then(
    (said) => console.log(`${id} ${said}`),
    (failed) => console.log(`${id} failed ${String(failed.message).replace(/\s+/g, " ")}`),
  );
}
process.exit(0);
