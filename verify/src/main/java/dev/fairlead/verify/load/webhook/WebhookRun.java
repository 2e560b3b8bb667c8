package dev.fairlead.verify.load.webhook;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Report;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Results of one run.
 *
 * @param rate wanted events a second
 * @param stored events a second that were stored
 * @param accepted events a second that the receiver accepted during the same time
 * @param took from the commit of an event to its arrival
 * @param missing events that had not arrived a while after the last one was stored
 * @param counts counts of the whole run, with its warm-up
 * @param cpuMillis CPU of the service for each accepted event, without database and receiver
 */
record WebhookRun(
    int webhooks,
    int rate,
    double stored,
    double accepted,
    Percentiles took,
    long missing,
    Receiver.Counts counts,
    double cpuMillis)
    implements Report.Results {
  /** Rates are met within two hundredths: a batch may arrive just after the end. */
  private static final double PART = 0.98;

  @Override
  public List<Figure> figures() {
    return List.of(
        Figure.atLeast("events stored", stored, "1/s", rate * PART),
        Figure.atLeast(
            String.format(Locale.ROOT, "events accepted, %,d webhooks", webhooks),
            accepted,
            "1/s",
            rate * PART),
        Figure.atMost("commit of an event to its arrival, p99", seconds(99), "s", 5),
        Figure.atMost("events that did not arrive", (double) missing, "", 0),
        Figure.atMost("events out of order", (double) counts.disordered(), "", 0),
        Figure.atMost("requests without a valid signature", (double) counts.forged(), "", 0));
  }

  private double seconds(int percent) {
    return took.at(percent).toNanos() / (double) Duration.ofSeconds(1).toNanos();
  }
}
