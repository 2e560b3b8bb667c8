package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contradictory snapshots: the row is omitted, and the others are planned. */
class ContradictionTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private final Scene scene = new Scene();
  private JobBuilder sound;

  @BeforeEach
  void oneSoundJob() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    sound = scene.job("sound").gpus(8).age(1000);
  }

  private QuotaNodeId node(int id, String name, QuotaNodeId parent, QuotaLimit... limits) {
    QuotaNodeId own = new QuotaNodeId(new UUID(5, id));
    scene.quotas.add(
        new QuotaNode(
            own,
            Scene.TENANT,
            name,
            parent,
            1,
            1000,
            List.of(limits),
            PreemptionRules.NONE,
            QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
    return own;
  }

  @Test
  void queueWithAMissingParentStartsNothing() {
    QuotaNodeId orphan = node(1, "orphan", new QuotaNodeId(new UUID(5, 99)));
    JobBuilder job = scene.job("job").gpus(8).queue("orphan", orphan);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(sound)).isTrue();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.QUEUE_STOPPED);
    assertThat(plan.first(job).message())
        .satisfies(reason("contradiction.limits-queue-orphan-unknown", "orphan", "orphan"));
  }

  @Test
  void queueWithACycleOfParentsStartsNoJob() {
    QuotaNodeId one = new QuotaNodeId(new UUID(5, 1));
    QuotaNodeId two = node(2, "two", one);
    node(1, "one", two);
    JobBuilder job = scene.job("job").gpus(8).queue("two", two);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(sound)).isTrue();
    assertThat(plan.first(job).message()).satisfies(reason("contradiction.parents-form-circle"));
  }

  @Test
  void jobOfAMissingQueueReportsIt() {
    JobBuilder job = scene.job("job").queue("gone", new QuotaNodeId(new UUID(5, 50)));

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("contradiction.queue-does-exist"));
  }

  @Test
  void negativeLimitsAndUsesCountAsZero() {
    QuotaNodeId queue = node(1, "minus", null, new QuotaLimit(H100, "gpu", -8000L, -1L, -1L));
    scene.uses.add(new QuotaUse(queue, new QuotaCell(H100, "gpu"), -80_000));
    JobBuilder job = scene.job("job").gpus(8).queue("minus", queue);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(sound)).isTrue();
    assertThat(plan.first(job).message())
        .satisfies(reason("contradiction.needs-gpu-queue-minus", 8, "H100/RESERVED", "minus", 0));
  }

  @Test
  void duplicateNodeNamesCountAsOneNode() {
    Node node = scene.nodes.getFirst();
    scene.nodes.add(
        node.with().id(new dev.fairlead.fleet.node.NodeId(new UUID(4, 77))).version(2).build());
    scene.job("a").gpus(8);
    scene.job("b").gpus(8);

    List<Decision.Place> places = scene.plan().places();

    assertThat(places).hasSize(2);
    assertThat(places).extracting(p -> p.members().getFirst().nodeName()).doesNotHaveDuplicates();
  }

  @Test
  void overcommittedNodeAdmitsNothingAndHarmsNoJob() {
    Node node = scene.nodes.getFirst();
    ResourceVector tooMuch = ResourceVector.of(999_000, 0, 0, 0);
    scene.nodes.set(0, After.with(node, tooMuch, node.gpus()));

    assertThat(scene.plan().nodes(sound)).containsExactly("eu-1-n002");
  }

  @Test
  void foreignPodsOnGpusReduceCapacity() {
    Node node = scene.nodes.getFirst();
    scene.nodes.removeLast();
    scene.nodes.set(0, After.with(node, ResourceVector.of(0, 0, 2000, 0), node.gpus()));
    JobBuilder six = scene.job("six").gpus(6);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(sound)).isFalse();
    assertThat(plan.starts(six)).isTrue();
  }

  @Test
  void negativeRequestIsRejectedAlone() {
    JobBuilder none =
        scene.job("none").gpu(new GpuRequest(GpuRequest.Kind.WHOLE, 0, 0, 0, null, List.of(), 0));

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(none).reason()).isEqualTo(Reason.MISCONFIGURED);
    assertThat(plan.starts(sound)).isTrue();
  }

  @Test
  void duplicateJobIsPlacedOnce() {
    scene.jobs.add(sound);

    assertThat(scene.plan().places(sound)).hasSize(1);
  }

  @Test
  void skippedContradictionsAreReportedByKind() {
    node(1, "orphan", new QuotaNodeId(new UUID(5, 99)));
    node(2, "owes", null, new QuotaLimit(H100, "gpu", -8000L, null, null));
    Node known = scene.nodes.getFirst();
    scene.nodes.add(After.with(known, known.allocated(), known.gpus()));
    scene.clusters.add(scene.clusters.getFirst());

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(sound)).isTrue();
    assertThat(plan.plan().contradictions())
        .extracting(Contradiction::kind)
        .containsExactly(
            Contradiction.Kind.BROKEN_QUOTA,
            Contradiction.Kind.NEGATIVE_AMOUNT,
            Contradiction.Kind.DUPLICATE_NODE,
            Contradiction.Kind.DUPLICATE_CLUSTER);
    assertThat(plan.plan().contradictions().getFirst().subject()).isEqualTo("orphan");
  }

  @Test
  void consistentRowsAreNotReported() {
    assertThat(scene.plan().plan().contradictions()).isEmpty();
  }
}
