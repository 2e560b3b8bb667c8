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

/** Reads output of several members side by side; one that hangs is cut off. */
final class Reads {
  private final ExecutorService workers;
  private final Duration longest;

  /**
   * @param workers their number bounds the reads under way
   * @param longest that they take together
   */
  Reads(ExecutorService workers, Duration longest) {
    this.workers = workers;
    this.longest = longest;
  }

  /** Asks for output. */
  @FunctionalInterface
  interface Source {
    InputStream open() throws IOException;
  }

  /** What to read. */
  record Task(Source source, Reading reading, FollowedMember member) {}

  /**
   * What came of it.
   *
   * @param failure null when it was read
   */
  record Done(Task task, @Nullable IOException failure) {}

  /** A read under way. */
  private record Running(
      Task task,
      Future<Boolean> result,
      AtomicBoolean started,
      AtomicReference<@Nullable InputStream> open) {}

  /**
   * Those that were read or failed; the rest is left for another time: when so many bytes are read,
   * or when others hang for so long that its turn does not come.
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
      if (one.started().get()) { // others hung before it: it is left for another time
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
        return; // it is given up anyway
      }
    }
  }
}
