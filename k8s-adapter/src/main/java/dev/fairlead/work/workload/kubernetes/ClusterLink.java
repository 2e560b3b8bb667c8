package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.ClusterClient;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.node.GpuStackProbe;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages the connection to one cluster. It opens the connection in the background and probes it
 * every two seconds. If the cluster has not answered for long, it resolves the address again and
 * opens a new connection. Until then only the probe is sent ({@link Gate}). Silence is measured on
 * this process's monotonic clock. It ends only when all watches are open and the cluster answers,
 * so revoked credentials count as silence too.
 */
final class ClusterLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
  private static final int LONGEST_VERSION = 100;
  private static final int SPREAD = 3;

  /** Number of unreachable clusters from which each waits for the longest time. */
  private static final int MANY = 10;

  /**
   * Probe interval for a cluster that became unreachable less than {@link
   * KubernetesSettings#reopen} ago.
   */
  private static final Duration PROBE_AWAY = Duration.ofSeconds(1);

  /** Interval for checking whether the watches of a returned cluster are open. */
  private static final Duration PROBE_BACK = Duration.ofMillis(200);

  /** Time after which watches that are still not open are checked at the usual interval. */
  private static final Duration RETURNING = Duration.ofSeconds(10);

  /** Time without any response after which open watches are not trusted. */
  private static final Duration UNHEARD = Duration.ofSeconds(3);

  /** Maximum time for closing a connection. After that it is abandoned. */
  private static final Duration ENDING = Duration.ofSeconds(5);

  /**
   * Multiple of {@link KubernetesSettings#reopen} after which a connection is replaced even though
   * it answers, because its lists do not finish or its watches do not open.
   */
  private static final int LISTS_END = 10;

  private final String cluster;
  private final Connection.Kubernetes connection;
  private final EgressPolicy egress;
  private final KubernetesSettings settings;
  private final ClusterView view;
  private final ClusterOfferings survey;
  private final GpuStackProbe gpuStack;
  private final ClusterCalls calls;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicReference<@Nullable Session> session = new AtomicReference<>();
  private final Thread keeper;
  private volatile long goodAt = System.nanoTime();
  private long answeredAt = goodAt;
  private volatile boolean synced;
  private volatile String version = "";
  private volatile @Nullable String trouble = "not connected yet";
  private int opened;
  private boolean away = true;
  private boolean everSeen;
  private boolean returning;
  private long openedAt;

  /**
   * One connection with its watches.
   *
   * @param refused whether the connection remains usable without the watch
   */
  private record Session(
      KubernetesClient client,
      KubernetesClient output,
      AnswerGuard guard,
      List<SharedIndexInformer<?>> watches,
      Predicate<SharedIndexInformer<?>> refused,
      AtomicReference<@Nullable Throwable> failed,
      long since) {
    boolean watching() {
      return guard.openWatches() >= watches.stream().filter(refused.negate()).count();
    }

    boolean synced() {
      return watches.stream().allMatch(watch -> watch.hasSynced() || refused.test(watch));
    }

    void end() {
      watches.forEach(SharedIndexInformer::stop);
      client.close();
      output.close();
    }
  }

  /** Probes of features of the cluster that its watches do not show. */
  record Probes(ClusterOfferings offerings, GpuStackProbe gpuStack) {}

  ClusterLink(
      String cluster,
      Connection.Kubernetes connection,
      EgressPolicy egress,
      KubernetesSettings settings,
      ClusterView view,
      Probes probes,
      ClusterCalls calls) {
    this.cluster = cluster;
    this.connection = connection;
    this.egress = egress;
    this.settings = settings;
    this.view = view;
    this.survey = probes.offerings();
    this.gpuStack = probes.gpuStack();
    this.calls = calls;
    calls.leaves();
    keeper = Thread.ofVirtual().name("cluster-link-" + cluster).start(this::keep);
    Thread _ = Thread.ofVirtual().name("cluster-gpu-stack-" + cluster).start(this::keepGpuStack);
  }

  /**
   * @throws CallFailure if there is no connection now
   */
  KubernetesClient client() {
    return current().client();
  }

  /**
   * Returns the client for reading logs.
   *
   * @throws CallFailure if there is no connection now
   */
  KubernetesClient output() {
    return current().output();
  }

  /**
   * Tries a different token than the cluster's own, on a separate connection. A cluster that
   * forbids the request has nevertheless authenticated the token.
   *
   * @throws IOException if the cluster does not accept the token or cannot be reached. The message
   *     is for people
   */
  void attempt(Secret token) throws IOException {
    try {
      ServerUrl server = ServerUrl.parse(connection.server());
      InetAddress address = egress.resolve(server.host()).getFirst();
      try (KubernetesClient client =
          ClusterClient.openForOutput(
              connection.with(token), server, address, settings.callTimeout())) {
        calls.read(() -> client.nodes().list(new ListOptionsBuilder().withLimit(1L).build()));
      }
    } catch (CallFailure failure) {
      if (failure.code() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw new IOException("the new one was tried: " + failure.getMessage(), failure);
      }
    } catch (ServerUrl.Refused | EgressPolicy.Refused | GeneralSecurityException refused) {
      throw new IOException(
          "the new connection could not be tested: " + refused.getMessage(), refused);
    }
  }

  /**
   * Opens a separate connection, for a watch whose errors are independent of the other watches.
   *
   * @throws CallFailure if no connection is possible
   */
  KubernetesClient beside(AnswerGuard guard) {
    try {
      ServerUrl server = ServerUrl.parse(connection.server());
      InetAddress address = egress.resolve(server.host()).getFirst();
      return ClusterClient.open(connection, server, address, settings.callTimeout(), guard);
    } catch (ServerUrl.Refused | EgressPolicy.Refused | GeneralSecurityException refused) {
      throw CallFailure.notSent("not connected: " + refused.getMessage(), refused);
    }
  }

  private Session current() {
    Session current = session.get();
    if (current == null) {
      String why = trouble;
      throw CallFailure.notSent(
          "not connected: " + (why == null ? "a new connection is being opened" : why),
          new IllegalStateException("no connection to cluster " + cluster));
    }
    return current;
  }

  Contact contact(boolean heldBack) {
    Session current = session.get();
    long silent = (System.nanoTime() - goodAt) / 1_000_000;
    boolean good =
        trouble == null
            && current != null
            && current.watching()
            && Math.min(silent, current.guard().unheard().toMillis()) < UNHEARD.toMillis();
    /* Report the completion immediately, not at the next probe. */
    synced |= current != null && current.synced() && survey.findings().asked();
    String told =
        trouble != null ? trouble : heldBack ? "calls are held back because too many failed" : null;
    return new Contact(good ? 0 : silent, synced, told == null ? null : cluster + ": " + told);
  }

  /** Returns the version of the API server, empty before the first response. */
  String version() {
    return version;
  }

  private void keep() {
    do {
      try {
        look();
      } catch (Throwable unexpected) {
        FatalErrors.rethrow(unexpected);
        LOG.warn("cluster {}: the check of its connection failed", cluster, unexpected);
      }
    } while (!pause(untilNextProbe()));
    replace(null);
    leave(false);
  }

  private void look() {
    Session current = session.get();
    if (current == null || since(answeredAt, current).compareTo(settings.reopen()) > 0) {
      replace(null);
      current = open();
    }
    if (current == null) {
      return;
    }
    String found = ask(current.client());
    if (found == null) {
      answeredAt = System.nanoTime();
      letThrough(current);
    } else {
      current.guard().gate().shut();
      leave(true);
    }
    /* A watch ends every few minutes and is opened again. */
    boolean starting = since(goodAt, current).compareTo(settings.callTimeout()) < 0;
    String complaint =
        silent(current)
            ? "a watch has stalled, all objects are listed again"
            : current.guard().complaint();
    tell(
        found != null
            ? found
            : complaint != null
                ? complaint
                : current.watching() || starting && current.failed().get() == null
                    ? null
                    : whyNotWatching(current));
    boolean hopeless =
        since(goodAt, current).compareTo(settings.reopen().multipliedBy(LISTS_END)) > 0;
    if (hopeless || silent(current) || view.tooLarge(current.failed().get())) {
      replace(null);
    } else if (found == null) {
      survey.refresh(current.client());
      view.refresh(current.client(), calls);
    }
  }

  /**
   * Runs separately from the connection, because long, slow lists do not indicate whether the
   * cluster answers.
   */
  private void keepGpuStack() {
    while (!pause(settings.probe())) {
      try {
        Session current = session.get();
        if (current != null && current.synced() && trouble == null) {
          gpuStack.refresh(current.client(), () -> view.inventory().view().nodes());
        }
      } catch (Throwable unexpected) {
        FatalErrors.rethrow(unexpected);
        LOG.warn("cluster {}: the check of its GPU stack failed", cluster, unexpected);
      }
    }
  }

  /**
   * Opens the gate after the cluster answered, and wakes waiting callers once the cluster is
   * visible again.
   */
  private void letThrough(Session current) {
    if (!current.guard().gate().isOpen()) { // open watches need no lists that could be spread
      if (everSeen && !current.watching() && pause(spread())) {
        return;
      }
      everSeen = true;
      current.failed().set(null);
      current.guard().gate().open();
      returning = true;
      openedAt = System.nanoTime();
    }
    leave(false);
    if (current.watching()) {
      goodAt = System.nanoTime();
      current.failed().set(null);
      if (returning) {
        returning = false;
        view.returned();
      }
    }
  }

  private void leave(boolean now) {
    if (now && !away) {
      calls.leaves();
    } else if (!now && away) {
      calls.returns();
    }
    away = now;
  }

  /**
   * Returns the probe interval: at most one connection per second to an unreachable cluster, later
   * one per {@link KubernetesSettings#probe}.
   */
  private Duration untilNextProbe() {
    Duration silent = Duration.ofNanos(System.nanoTime() - answeredAt);
    boolean lately = silent.compareTo(settings.reopen()) < 0;
    Duration wanted =
        away && lately
            ? PROBE_AWAY
            : !away && returning && System.nanoTime() - openedAt < RETURNING.toNanos()
                ? PROBE_BACK
                : settings.probe();
    return wanted.compareTo(settings.probe()) < 0 ? wanted : settings.probe();
  }

  private boolean silent(Session current) {
    return current.guard().silence().compareTo(settings.quiet()) > 0;
  }

  private static String whyNotWatching(Session current) {
    Throwable failed = current.failed().get();
    if (failed != null) {
      return "its watches do not open: " + NextStep.of(CallFailure.of(failed));
    }
    return current.synced()
        ? "its watches do not open"
        : "its lists have not completed yet. Check the type and the load of the server.";
  }

  /** Returns the time since the later of this moment and the start of the connection. */
  private static Duration since(long moment, Session current) {
    long now = System.nanoTime();
    return Duration.ofNanos(Math.min(now - moment, now - current.since()));
  }

  private @Nullable Session open() {
    try {
      ServerUrl server = ServerUrl.parse(connection.server());
      List<InetAddress> addresses = egress.resolve(server.host());
      /* The next try uses the next address, so one unavailable address fails only some tries. */
      InetAddress address = addresses.get(Math.floorMod(opened++, addresses.size()));
      AnswerGuard guard = new AnswerGuard(calls::holdBack);
      KubernetesClient client =
          ClusterClient.open(connection, server, address, settings.callTimeout(), guard);
      KubernetesClient output =
          ClusterClient.openForOutput(connection, server, address, settings.callTimeout());
      AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
      guard.gate().shut();
      Session next =
          new Session(
              client,
              output,
              guard,
              view.watch(client, failed::set),
              view::refuses,
              failed,
              System.nanoTime());
      replace(next);
      return next;
    } catch (ServerUrl.Refused | EgressPolicy.Refused e) {
      tell(e.getMessage());
    } catch (GeneralSecurityException e) {
      tell("its certificates or key cannot be read");
    }
    return null;
  }

  /** Returns the error, null if the cluster answered. */
  private @Nullable String ask(KubernetesClient client) {
    try {
      VersionInfo info = client.getKubernetesVersion();
      version =
          ReportedText.plain(info.getGitVersion(), LONGEST_VERSION) ? info.getGitVersion() : "";
      return null;
    } catch (RuntimeException failed) {
      return NextStep.of(CallFailure.of(failed));
    }
  }

  private void tell(@Nullable String now) {
    if (now != null && !now.equals(trouble)) {
      LOG.warn("cluster {}: {}", cluster, now);
    } else if (now == null && trouble != null) {
      LOG.info("cluster {}: connected", cluster);
    }
    trouble = now;
  }

  private void replace(@Nullable Session next) {
    Session before = session.getAndSet(next);
    if (before != null) {
      if (before.synced()) {
        view.read(before.guard().longest());
      }
      end(before);
    }
  }

  /** Opens the next connection even if the old one does not end. */
  private void end(Session before) {
    try {
      Thread ending = Thread.ofVirtual().name("cluster-end-" + cluster).start(before::end);
      if (!ending.join(ENDING)) {
        LOG.warn("cluster {}: the previous connection does not close and is abandoned", cluster);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Delays the return of a cluster. Clusters that became unreachable together return together, so
   * each waits for a random part of the time to spread their lists. A cluster that failed alone
   * does not wait.
   */
  private Duration spread() {
    long longest = settings.reopen().toMillis() / SPREAD;
    long most = longest * Math.clamp(calls.away() - 1L, 0, MANY) / MANY;
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most + 1));
  }

  /** Returns true when the link is closed. */
  private boolean pause(Duration time) {
    try {
      return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return closed.getCount() == 0;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    keeper.interrupt();
  }
}
