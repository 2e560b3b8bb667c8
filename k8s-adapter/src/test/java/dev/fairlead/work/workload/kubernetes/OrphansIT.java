package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Remaining objects of ended attempts, among similar objects of others. */
@OnControlPlane
class OrphansIT {
  private static final String NAMESPACE = "fairlead-orphans";
  private static final String MARK = "orphans";
  private static final int EACH = 10;
  private static final int AT_ONCE = 8;
  private final IdSource ids = new SeededIds(ThreadLocalRandom.current().nextLong());
  private final Installation ours = new Installation(ids.next(), 1);
  private final Installation theirs = new Installation(ids.next(), 1);
  private final KubernetesClient admin = KubernetesCluster.shared().admin();
  private ClusterGateway gateway;

  @BeforeEach
  void connect() {
    ForeignPods.namespace(KubernetesCluster.shared(), NAMESPACE);
    gateway = RealCluster.synced(ours, KubernetesCluster.shared());
  }

  @AfterEach
  void takeAway() {
    gateway.close();
    admin.pods().inNamespace(NAMESPACE).withLabel(MARK).withGracePeriod(0).delete();
    admin.services().inNamespace(NAMESPACE).withLabel(MARK).delete();
    admin.configMaps().inNamespace(NAMESPACE).withLabel(MARK).delete();
    admin.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE).withLabel(MARK).delete();
  }

  /**
   * Half of the objects belong to attempts that have been cleaned up. Fails when a name, or one
   * label alone, is enough to be mistaken for ours.
   */
  @Tag(Figure.TAG)
  @Test
  void onlyOurOrphansAreRemoved() throws Exception {
    int attempts = Figure.times(4, 10_000 / EACH);
    List<AttemptId> over = new ArrayList<>();
    List<Callable<Object>> creates = new ArrayList<>();
    for (int i = 0; i < attempts; i++) {
      AttemptId attempt = new AttemptId(ids.next());
      over.add(attempt);
      ours(attempt).forEach(o -> creates.add(() -> admin.resource(o).create()));
      others(attempt).forEach(o -> creates.add(() -> admin.resource(o).create()));
    }
    atOnce(creates);
    SortedMap<String, String> before = there();
    assertThat(before).hasSize(attempts * EACH);
    over.stream().flatMap(a -> ours(a).stream()).map(OrphansIT::name).forEach(before::remove);

    List<Callable<Object>> retires = new ArrayList<>();
    over.forEach(attempt -> retires.add(() -> retired(attempt)));
    atOnce(retires);

    RealCluster.eventually("ours are gone", () -> there().size() <= before.size());
    assertThat(there()).isEqualTo(before);
    Figure.seen(
        "G8", "all of ours removed and none of others', of " + attempts * EACH + " objects");
  }

  private ActionOutcome retired(AttemptId attempt) {
    WorkloadAction retire =
        new WorkloadAction.Retire(
            attempt, NAMESPACE, List.of(member(0), member(1)), new TreeSet<>());
    ActionOutcome outcome = RealCluster.answered(gateway, retire);
    assertThat(outcome).isInstanceOf(ActionOutcome.Done.class);
    return outcome;
  }

  private List<HasMetadata> ours(AttemptId attempt) {
    String name = ObjectNames.attempt(attempt);
    SortedMap<String, String> labels = labels(ours, attempt);
    return List.of(
        anchor(name, labels),
        service(name, labels),
        new PodDisruptionBudgetBuilder()
            .withMetadata(meta(name, labels))
            .withNewSpec()
            .withMinAvailable(new IntOrString(1))
            .withNewSelector()
            .withMatchLabels(labels)
            .endSelector()
            .endSpec()
            .build(),
        pod(ObjectNames.pod(attempt, member(0)), labels),
        pod(ObjectNames.pod(attempt, member(1)), labels));
  }

  /**
   * Objects of another installation, of another attempt, with our name but without labels, with one
   * label, with none.
   */
  private List<HasMetadata> others(AttemptId attempt) {
    String name = ObjectNames.attempt(attempt);
    SortedMap<String, String> alone = new TreeMap<>(Map.of(ObjectLabels.ATTEMPT, attempt.bare()));
    return List.of(
        pod(ObjectNames.pod(attempt, member(2)), labels(theirs, attempt)),
        pod(name + "-other", labels(ours, new AttemptId(ids.next()))),
        pod(ObjectNames.pod(attempt, member(3)), new TreeMap<>()),
        service(name + "-alone", alone),
        anchor(name + "-none", new TreeMap<>()));
  }

  private static MemberKey member(int index) {
    return new MemberKey("worker", index, 0);
  }

  private static SortedMap<String, String> labels(Installation installation, AttemptId attempt) {
    SortedMap<String, String> labels = ObjectLabels.of(installation);
    labels.put(ObjectLabels.ATTEMPT, attempt.bare());
    return labels;
  }

  private static ObjectMeta meta(String name, Map<String, String> labels) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(NAMESPACE)
        .withLabels(labels)
        .addToLabels(MARK, "true")
        .build();
  }

  private static HasMetadata anchor(String name, Map<String, String> labels) {
    return new ConfigMapBuilder().withMetadata(meta(name, labels)).build();
  }

  private static HasMetadata service(String name, Map<String, String> labels) {
    return new ServiceBuilder()
        .withMetadata(meta(name, labels))
        .withNewSpec()
        .withClusterIP("None")
        .endSpec()
        .build();
  }

  /** No scheduler handles it, so it uses no capacity. */
  private static HasMetadata pod(String name, Map<String, String> labels) {
    return new PodBuilder()
        .withMetadata(meta(name, labels))
        .withSpec(ForeignPods.spec(null))
        .editSpec()
        .withSchedulerName("nobody")
        .endSpec()
        .build();
  }

  private static String name(HasMetadata object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }

  /** The objects by name, and whether their deletion was requested. */
  private SortedMap<String, String> there() {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(admin.pods().inNamespace(NAMESPACE).withLabel(MARK).list().getItems());
    objects.addAll(admin.services().inNamespace(NAMESPACE).withLabel(MARK).list().getItems());
    objects.addAll(admin.configMaps().inNamespace(NAMESPACE).withLabel(MARK).list().getItems());
    objects.addAll(
        admin
            .policy()
            .v1()
            .podDisruptionBudget()
            .inNamespace(NAMESPACE)
            .withLabel(MARK)
            .list()
            .getItems());
    SortedMap<String, String> there = new TreeMap<>();
    objects.forEach(o ->
        there.put(
            name(o),
            o.getMetadata().getUid() + " deleted " + o.getMetadata().getDeletionTimestamp()));
    return there;
  }

  private static void atOnce(List<Callable<Object>> work) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      for (var done : threads.invokeAll(work)) {
        done.get();
      }
    }
  }
}
