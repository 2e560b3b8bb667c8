package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.problem.FatalErrors;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of this process on a separate thread, so that long passes do not lose them. */
final class LeaseRenewer {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);
  private final Leases leases;
  private final LeaseMeters meters;
  private @Nullable CountDownLatch stopped;

  LeaseRenewer(Leases leases, MeterRegistry metrics) {
    this.leases = leases;
    this.meters = new LeaseMeters(metrics);
  }

  synchronized void start() {
    if (stopped == null) {
      CountDownLatch end = new CountDownLatch(1);
      stopped = end;
      Thread.ofPlatform().daemon().name("lease-heart").start(() -> beat(end));
    }
  }

  synchronized void stop() {
    if (stopped != null) {
      stopped.countDown();
      stopped = null;
    }
  }

  private void beat(CountDownLatch end) {
    try {
      while (!end.await(leases.beatEvery().toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          meters.show(leases.keepers());
          leases.beat();
        } catch (Throwable failed) {
          FatalErrors.rethrow(failed);
          LOG.warn("could not renew leases: {}", failed.toString());
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
