package dev.fairlead.verify.load.queue;

import com.zaxxer.hikari.HikariDataSource;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * JobRunr (the open-source edition) with 32 workers on virtual threads, the shortest poll interval
 * that it accepts on SQL (idle workers also poll in between), and batches as streams.
 */
final class JobRunrQueue implements JobQueue {
  private static final int WORKERS = 32;
  private static final int CONNECTIONS = 40;
  private static final Duration POLL = Duration.ofSeconds(5);

  private final EmbeddedDatabase database = EmbeddedDatabase.durable();
  private final HikariDataSource connections = Connections.to(database, CONNECTIONS);
  private final JdbcClient jdbc = JdbcClient.create(connections);
  private final AtomicInteger submitted = new AtomicInteger();
  private final JobRequestScheduler scheduler;

  JobRunrQueue() {
    scheduler =
        JobRunr.configure()
            .useStorageProvider(SqlStorageProviderFactory.using(connections))
            .useBackgroundJobServer(
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                    .andPollInterval(POLL)
                    .andWorkerCount(WORKERS))
            .initialize()
            .getJobRequestScheduler();
  }

  @Override
  public void submit() {
    submitted.incrementAndGet();
    scheduler.enqueue(new NoWork());
  }

  @Override
  public void submit(int jobs) {
    submitted.addAndGet(jobs);
    scheduler.enqueue(Stream.generate(NoWork::new).limit(jobs));
  }

  @Override
  public boolean done() {
    int succeeded =
        jdbc.sql("SELECT count(*) FROM jobrunr_jobs WHERE state = 'SUCCEEDED'")
            .query(Integer.class)
            .single();
    return succeeded >= submitted.get();
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
    JobRunr.destroy();
    connections.close();
    database.close();
  }
}
