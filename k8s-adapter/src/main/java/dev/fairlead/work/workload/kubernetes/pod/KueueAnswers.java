package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads why Kueue has not admitted the pods of attempts. The reason is not in the pods but in the
 * Workload that Kueue creates under the name of their group.
 */
public final class KueueAnswers {
  private static final long EACH = Duration.ofSeconds(2).toNanos();
  private static final int MOST = 20;
  private static final int LONGEST = 1_000;
  private static final String RESERVED = "QuotaReserved";
  private static final ResourceDefinitionContext WORKLOADS =
      new ResourceDefinitionContext.Builder()
          .withGroup("kueue.x-k8s.io")
          .withVersion("v1beta2")
          .withKind("Workload")
          .withPlural("workloads")
          .withNamespaced(true)
          .build();

  /** Attempts with gated pods, and the response to each. */
  private final Map<AttemptId, Waiting> waiting = new ConcurrentHashMap<>();

  private final AtomicBoolean reads = new AtomicBoolean();
  private final LongSupplier nanos;
  private final Consumer<AttemptId> read;
  private volatile @Nullable KubernetesClient client;
  private volatile long last;

  /**
   * @param read gets each attempt with a response that was read
   */
  public KueueAnswers(LongSupplier nanos, Consumer<AttemptId> read) {
    this.nanos = nanos;
    this.read = read;
    last = nanos.getAsLong() - EACH;
  }

  private record Waiting(String namespace, @Nullable String answer, long readAt) {}

  /** Reads through this connection from now on. */
  public void through(KubernetesClient connection) {
    client = connection;
  }

  /**
   * Returns the member with Kueue's response as its reason, if it waits for Kueue.
   *
   * @param namespace namespace of the pod, null if it was given before
   */
  public ObservedMember with(AttemptId attempt, @Nullable String namespace, ObservedMember member) {
    String kueue = Member.AWAITS_NODE + " " + PlacementBackend.Kind.KUEUE.word() + " ";
    if (member.reason() == null || !member.reason().startsWith(kueue)) {
      waiting.remove(attempt);
      return member;
    }
    Waiting known =
        namespace == null
            ? waiting.get(attempt)
            : waiting.computeIfAbsent(attempt, id -> new Waiting(namespace, null, Long.MIN_VALUE));
    return known == null || known.answer() == null
        ? member
        : member.because(kueue + known.answer());
  }

  /** Drops the response about an attempt without pods. */
  public void forget(AttemptId attempt) {
    waiting.remove(attempt);
  }

  /** Starts to read the oldest answers, unless a read is in progress. Returns immediately. */
  public void look() {
    KubernetesClient through = client;
    long now = nanos.getAsLong();
    if (through == null
        || waiting.isEmpty()
        || now - last < EACH
        || !reads.compareAndSet(false, true)) {
      return;
    }
    last = now;
    Thread _ =
        Thread.ofVirtual()
            .name("kueue-answers")
            .start(() -> {
              try {
                read(through);
              } finally {
                reads.set(false);
              }
            });
  }

  private void read(KubernetesClient through) {
    List<Map.Entry<AttemptId, Waiting>> oldest = new ArrayList<>(new TreeMap<>(waiting).entrySet());
    oldest.sort((a, b) -> Long.compare(a.getValue().readAt(), b.getValue().readAt()));
    for (Map.Entry<AttemptId, Waiting> each : oldest.subList(0, Math.min(MOST, oldest.size()))) {
      AttemptId attempt = each.getKey();
      Waiting before = each.getValue();
      String answer = words(answer(through, before.namespace(), ObjectNames.attempt(attempt)));
      Waiting now = new Waiting(before.namespace(), answer, nanos.getAsLong());
      if (waiting.replace(attempt, before, now)) {
        read.accept(attempt);
      }
    }
  }

  private static String answer(KubernetesClient through, String namespace, String name) {
    try {
      GenericKubernetesResource workload =
          through.genericKubernetesResources(WORKLOADS).inNamespace(namespace).withName(name).get();
      return workload == null ? absent() : of(workload);
    } catch (KubernetesClientException failed) {
      return failed.getCode() == HttpURLConnection.HTTP_FORBIDDEN
          ? "does not let Fairlead read its Workloads: apply deploy/cluster-kueue.yaml on the cluster"
          : "could not be read: " + failed.getMessage();
    }
  }

  /** Each member of the attempt stores it. */
  static String words(String answer) {
    return Objects.requireNonNull(ReportedText.words(answer, LONGEST));
  }

  private static String absent() {
    return "has created no Workload for the pods: check that Kueue runs, and that its integration"
        + " \"pod\" covers the namespace";
  }

  /** The condition of the quota, which names the missing resources or the missing queue. */
  static String of(GenericKubernetesResource workload) {
    if (workload.get("status", "conditions") instanceof List<?> conditions) {
      for (Object each : conditions) {
        if (each instanceof Map<?, ?> condition && RESERVED.equals(condition.get("type"))) {
          return "True".equals(condition.get("status"))
              ? "has reserved quota for the pods but has not admitted them yet"
              : "reports: " + condition.get("message");
        }
      }
    }
    return "has not processed the Workload of the pods yet: check that its controller runs";
  }
}
