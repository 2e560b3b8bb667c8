package dev.fairlead.workload.kubernetes;

import dev.fairlead.cluster.Connection;
import dev.fairlead.workload.Contact;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the connection to one cluster: opens it in the background, asks every few seconds whether
 * it still answers, and opens a new one, to an address looked up anew, when it has been silent for
 * long. Silence is measured on this process's monotonic clock and ends only when all watches are
 * open and the cluster answers: credentials that were taken away are silence too.
 */
final class ClusterLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
  private final String cluster;
  private final Connection.Kubernetes connection;
  private final EgressPolicy egress;
  private final KubernetesSettings settings;
  private final ClusterView view;
  private final Survey survey;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicReference<@Nullable Session> session = new AtomicReference<>();
  private final Thread keeper;
  private volatile long goodAt = System.nanoTime();
  private volatile boolean synced;
  private volatile String version = "";
  private volatile @Nullable String trouble = "not connected yet";
  private int opened;

  /** One connection with its watches. */
  private record Session(
      KubernetesClient client, List<SharedIndexInformer<?>> watches, long since) {
    boolean watching() {
      return watches.stream().allMatch(SharedIndexInformer::isWatching);
    }

    boolean synced() {
      return watches.stream().allMatch(SharedIndexInformer::hasSynced);
    }

    void end() {
      watches.forEach(SharedIndexInformer::stop);
      client.close();
    }
  }

  ClusterLink(
      String cluster,
      Connection.Kubernetes connection,
      EgressPolicy egress,
      KubernetesSettings settings,
      ClusterView view,
      Survey survey) {
    this.cluster = cluster;
    this.connection = connection;
    this.egress = egress;
    this.settings = settings;
    this.view = view;
    this.survey = survey;
    keeper = Thread.ofVirtual().name("cluster-link-" + cluster).start(this::keep);
  }

  /**
   * @throws CallFailure when there is none now
   */
  KubernetesClient client() {
    Session current = session.get();
    if (current == null) {
      throw CallFailure.notSent(
          "not connected: " + trouble,
          new IllegalStateException("no connection to cluster " + cluster));
    }
    return current.client();
  }

  Contact contact(boolean heldBack) {
    Session current = session.get();
    long silent = (System.nanoTime() - goodAt) / 1_000_000;
    boolean good = trouble == null && current != null && current.watching();
    // Complete is said as soon as it is true, not at the next probe.
    synced |= current != null && current.synced() && survey.findings().asked();
    String told =
        trouble != null ? trouble : heldBack ? "calls are held back because too many failed" : null;
    return new Contact(good ? 0 : silent, synced, told == null ? null : cluster + ": " + told);
  }

  /** What the API server calls itself, empty before it was asked. */
  String version() {
    return version;
  }

  private void keep() {
    do {
      try {
        look();
      } catch (RuntimeException unexpected) {
        LOG.warn("cluster {}: looking after its connection failed", cluster, unexpected);
      }
    } while (!pause());
    replace(null);
  }

  private void look() {
    Session current = session.get();
    if (current == null || silentFor(current).compareTo(settings.reopen()) > 0) {
      replace(null);
      current = open();
    }
    if (current == null) {
      return;
    }
    String found = ask(current.client());
    if (found == null) {
      survey.refresh(current.client());
    }
    if (found == null && current.watching()) {
      goodAt = System.nanoTime();
    }
    boolean starting = System.nanoTime() - current.since() < settings.callTimeout().toNanos();
    tell(
        found != null
            ? found
            : current.watching() || starting
                ? null
                : "its watches do not open; is a right missing?");
  }

  private Duration silentFor(Session current) {
    return Duration.ofNanos(System.nanoTime() - Math.max(goodAt, current.since()));
  }

  private @Nullable Session open() {
    try {
      ServerUrl server = ServerUrl.parse(connection.server());
      List<InetAddress> addresses = egress.resolve(server.host());
      // The next address at the next try, so that one that is down does not count for all.
      InetAddress address = addresses.get(Math.floorMod(opened++, addresses.size()));
      KubernetesClient client =
          ClusterClient.open(connection, server, address, settings.callTimeout());
      Session next = new Session(client, view.watch(client), System.nanoTime());
      replace(next);
      return next;
    } catch (ServerUrl.Refused | EgressPolicy.Unsafe e) {
      tell(e.getMessage());
    } catch (GeneralSecurityException e) {
      tell("its certificates or key cannot be read");
    }
    return null;
  }

  /** What is wrong, null when it answered. */
  private @Nullable String ask(KubernetesClient client) {
    try {
      VersionInfo info = client.getKubernetesVersion();
      version = info.getGitVersion() == null ? "" : info.getGitVersion();
      return null;
    } catch (RuntimeException failed) {
      return CallFailure.of(failed).getMessage();
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
      before.end();
    }
  }

  /** True when it is time to end. */
  private boolean pause() {
    try {
      return closed.await(settings.probe().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    keeper.interrupt();
  }
}
