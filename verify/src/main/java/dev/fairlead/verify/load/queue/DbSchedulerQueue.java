package dev.fairlead.verify.load.queue;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * db-scheduler with the settings that its README recommends for high throughput: lock-and-fetch
 * polling with limits 0.5 and 4.0 per thread, immediate execution, batches by {@code
 * scheduleBatch}.
 */
final class DbSchedulerQueue implements JobQueue {
  private static final int THREADS = 20;
  private static final int CONNECTIONS = 40;
  private static final String TABLE =
      """
      CREATE TABLE scheduled_tasks (
        task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
        execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
        last_success timestamptz, last_failure timestamptz, consecutive_failures int,
        last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
        PRIMARY KEY (task_name, task_instance));
      CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      """;

  private final EmbeddedDatabase database = EmbeddedDatabase.durable();
  private final HikariDataSource connections = Connections.to(database, CONNECTIONS);
  private final JdbcClient jdbc = JdbcClient.create(connections);
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger executed = new AtomicInteger();
  private final OneTimeTask<Void> task =
      Tasks.oneTime("noop").execute((instance, context) -> executed.incrementAndGet());
  private final Scheduler scheduler;

  DbSchedulerQueue() {
    jdbc.sql(TABLE).update();
    scheduler =
        Scheduler.create(connections, task)
            .threads(THREADS)
            .pollUsingLockAndFetch(0.5, 4.0)
            .pollingInterval(Duration.ofMillis(100))
            .enableImmediateExecution()
            .build();
    scheduler.start();
  }

  private TaskInstance<Void> next() {
    return task.instance("life-" + names.incrementAndGet());
  }

  @Override
  public void submit() {
    scheduler.schedule(next(), Instant.now());
  }

  @Override
  public void submit(int jobs) {
    Stream<TaskInstance<?>> instances = Stream.generate(this::next).limit(jobs).map(i -> i);
    scheduler.scheduleBatch(instances, Instant.now());
  }

  @Override
  public boolean done() {
    return executed.get() >= names.get()
        && jdbc.sql("SELECT NOT EXISTS (SELECT FROM scheduled_tasks)")
            .query(Boolean.class)
            .single();
  }

  @Override
  public EmbeddedDatabase database() {
    return database;
  }

  @Override
  public ProcessHandle process() {
    return ProcessHandle.current();
  }

  @Override
  public void close() {
    scheduler.stop();
    connections.close();
    database.close();
  }
}
