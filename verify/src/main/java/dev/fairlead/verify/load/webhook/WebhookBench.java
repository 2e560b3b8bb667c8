package dev.fairlead.verify.load.webhook;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * {@code make bench-webhooks}: one service on a PostgreSQL with durable commits sends the events of
 * 1,000 projects to a webhook each, 2,000 events a second, by TLS to a receiver on this machine.
 * {@code QUICK=1}: a tenth of both. Exits with 0 when the bounds hold, 1 when not.
 */
public final class WebhookBench {
  private static final int WEBHOOKS = 1_000;
  private static final int RATE = 2_000;
  private static final int TENTH = 10;
  private static final Duration WARM_UP = Duration.ofSeconds(15);
  private static final Duration MEASURED = Duration.ofSeconds(30);
  private static final Duration LATEST = Duration.ofSeconds(60);

  private WebhookBench() {}

  public static void main(String[] args) {
    Program.of("bench-webhooks", "2,000 events a second to 1,000 webhooks")
        .option("quick", "1: a tenth of both")
        .measure(
            args,
            (arguments, report) -> {
              int part = arguments.has("quick") ? TENTH : 1;
              WebhookRun run = measure(WEBHOOKS / part, RATE / part);
              report.results("webhooks", run);
            });
  }

  private static WebhookRun measure(int webhooks, int rate)
      throws IOException, GeneralSecurityException, SQLException, InterruptedException {
    TlsIdentity identity = TlsIdentity.create();
    List<String> loopback = List.of("-Dfairlead.egress.webhooks=127.0.0.0/8");
    try (Receiver receiver = Receiver.start(identity);
        LocalFairlead fairlead =
            LocalFairlead.start("bench-webhooks", loopback, EmbeddedDatabase.durable());
        WebhookProjects projects = WebhookProjects.create(fairlead, identity, receiver, webhooks)) {
      double _ = projects.append(rate, WARM_UP);
      List<Duration> _ = receiver.took();
      long before = receiver.counts().events();
      Duration cpu = cpu(fairlead);
      double stored = projects.append(rate, MEASURED);
      long events = receiver.counts().events() - before;
      double millis = cpu(fairlead).minus(cpu).toNanos() / 1e6;
      long end = System.nanoTime() + LATEST.toNanos();
      while (receiver.counts().events() < projects.sent() && System.nanoTime() < end) {
        Thread.sleep(10);
      }
      return new WebhookRun(
          webhooks,
          rate,
          stored,
          events / (double) MEASURED.toSeconds(),
          new Percentiles(receiver.took()),
          projects.sent() - receiver.counts().events(),
          receiver.counts(),
          millis / Math.max(1, events));
    }
  }

  private static Duration cpu(LocalFairlead fairlead) {
    return ProcessHandle.of(fairlead.service().pid())
        .orElseThrow()
        .info()
        .totalCpuDuration()
        .orElseThrow();
  }
}
