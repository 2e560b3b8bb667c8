package dev.fairlead.work.workload.output;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads the output of several members in parallel and cancels a read that hangs. */
final class Reads {
  private final ExecutorService workers;
  private final Duration longest;

  /**
   * @param workers their number limits the parallel reads
   * @param longest time limit for all reads together
   */
  Reads(ExecutorService workers, Duration longest) {
    this.workers = workers;
    this.longest = longest;
  }

  /** Opens output. */
  @FunctionalInterface
  interface Source {
    InputStream open() throws IOException;
  }

  /** A read to run. */
  record Task(Source source, MemberRead reading, FollowedMember member) {}

  /**
   * The result of a read.
   *
   * @param failure null on success
   */
  record Done(Task task, @Nullable IOException failure) {}

  /** A read in progress. */
  private record Running(
      Task task,
      Future<Boolean> result,
      AtomicBoolean started,
      AtomicReference<@Nullable InputStream> open) {}

  /**
   * Returns the finished and failed reads. The others are left for a later round, when the byte
   * limit is reached or when hanging reads use up the time.
   */
  List<Done> run(List<Task> tasks, long mostBytes) {
    AtomicLong left = new AtomicLong(mostBytes);
    List<Running> running = new ArrayList<>();
    for (Task task : tasks) {
      AtomicBoolean started = new AtomicBoolean();
      AtomicReference<@Nullable InputStream> open = new AtomicReference<>();
      Future<Boolean> result =
          workers.submit(() -> {
            started.set(true);
            return read(task, left, open);
          });
      running.add(new Running(task, result, started, open));
    }
    long until = System.nanoTime() + longest.toNanos();
    List<Done> done = new ArrayList<>();
    for (Running one : running) {
      await(one, until, done);
    }
    return done;
  }

  private static boolean read(
      Task task, AtomicLong left, AtomicReference<@Nullable InputStream> open) throws IOException {
    if (left.get() <= 0) {
      return false;
    }
    try (InputStream output = task.source().open()) {
      open.set(output);
      task.reading().take(output);
      return true;
    } finally {
      left.addAndGet(-task.reading().passed());
    }
  }

  private static void await(Running one, long until, List<Done> done) {
    try {
      if (one.result().get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        done.add(new Done(one.task(), null));
      }
    } catch (TimeoutException hangs) {
      one.result().cancel(true);
      close(one.open().get());
      if (one.started().get()) { // earlier reads hung, so this one is deferred
        done.add(new Done(one.task(), new IOException("the cluster does not answer")));
      }
    } catch (InterruptedException ends) {
      one.result().cancel(true);
      close(one.open().get());
      Thread.currentThread().interrupt();
    } catch (CancellationException cancelled) {
      done.add(new Done(one.task(), new IOException(cancelled)));
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      done.add(
          new Done(one.task(), cause instanceof IOException io ? io : new IOException(failed)));
    }
  }

  private static void close(@Nullable InputStream open) {
    if (open != null) {
      try {
        open.close();
      } catch (IOException closed) {
        return; // it is abandoned in any case
      }
    }
  }
}
