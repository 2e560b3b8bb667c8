package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tenants under the platform root: their quota, their order, and their explanations. */
class FleetQuotaTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final TenantId ACME = new TenantId(new UUID(4, 1));
  private static final TenantId BETA = new TenantId(new UUID(4, 2));

  private final Scene scene = new Scene();
  private QuotaNodeId acme;
  private QuotaNodeId beta;

  @BeforeEach
  void twoTenantsOnOneCluster() {
    scene.quotas.clear();
    acme = queue(ACME, "acme");
    beta = queue(BETA, "beta");
    scene.cluster("eu-1").nodes(8, 8, "H100");
  }

  /** Fails when the engine plans beyond the quota of the platform: each write would be rejected. */
  @Test
  void startsStayWithinTheFleetQuota() {
    fleet(1000, 1000, gpus(16));
    for (int i = 0; i < 4; i++) {
      job("a" + i, acme, i);
      job("b" + i, beta, i);
    }

    assertThat(scene.plan().places()).hasSize(2);
  }

  /** Fails when the order of tenants depends on age, or on their own quota. */
  @Test
  void tenantsTakeTurnsByTheirWeight() {
    fleet(3000, 1000, gpus(32));
    for (int i = 0; i < 4; i++) {
      job("a" + i, acme, i);
      job("b" + i, beta, 100 + i);
    }

    Scene.Planned plan = scene.plan();

    assertThat(plan.places()).hasSize(4);
    assertThat(plan.places())
        .filteredOn(p ->
            plan.world().pending().stream()
                .anyMatch(w -> w.job().id().equals(p.job()) && w.job().queue().equals(acme)))
        .hasSize(3);
  }

  /** Fails when a tenant gets precedence by giving its own queue more quota. */
  @Test
  void tenantQuotaAboveTheFleetGrantGainsNoTurn() {
    scene.quotas.removeIf(n -> n.id().equals(beta));
    beta = queue(BETA, "beta", gpus(800));
    fleet(1000, 1000, gpus(16));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, Map.of(beta, 8L)));
    JobBuilder ours = job("ours", acme, 0);
    job("theirs", beta, 100);

    assertThat(scene.plan().places(ours)).hasSize(1);
  }

  /** Fails when a tenant can read a figure of the platform or of another tenant. */
  @Test
  void waitingJobReportsTheFleetLimitWithoutFiguresOfOthers() {
    fleet(1000, 1000, gpus(24));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, Map.of(beta, 24L)));
    JobBuilder job = job("waits", acme, 0);

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.QUOTA);
    assertThat(first.message())
        .satisfies(reason("fleet-quota.needs-gpu-more-platform", 8, "H100/RESERVED"));
    assertThat(first.numbers()).isEqualTo(Map.of("neededMilli", 8_000L));
  }

  /** Fails when the quota left by other tenants is shown as the quota of the tenant's own queue. */
  @Test
  void roomInATenantsQueueRevealsNothingAboutOtherUse() {
    fleet(1000, 1000, gpus(24));
    scene.quotas.removeIf(node -> node.id().equals(acme));
    acme = queue(ACME, "acme", gpus(10));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, Map.of(acme, 4L, beta, 20L)));
    JobBuilder job = job("waits", acme, 0);

    assertThat(scene.plan().first(job).message()).contains("leaves 6 (4 used of 10)");
  }

  @Test
  void jobAtTheTenantLimitReportsIt() {
    fleet(1000, 1000, gpus(24));
    limit(ACME, 1000, new QuotaLimit(H100, "gpu", 4000L, 0L, null));

    JobBuilder job = job("never", acme, 0);

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(first.message())
        .satisfies(reason("fleet-quota.needs-gpu-more-platform-2", 8, "H100/RESERVED"));
    assertThat(first.numbers()).isEqualTo(Map.of("neededMilli", 8_000L));
  }

  /** Fails when a tree of the fleet that is incomplete is mistaken for no limits (G30). */
  @Test
  void tenantWithAMissingNodeStartsNothing() {
    fleet(1000, 1000, gpus(24));
    scene.quotas.removeIf(n -> n.id().equals(FleetQuota.of(ACME)));
    JobBuilder ours = job("ours", acme, 0);
    JobBuilder theirs = job("theirs", beta, 0);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(ours)).isFalse();
    assertThat(plan.first(ours).message())
        .satisfies(reason("fleet-quota.platforms-limits-tenant-cannot"));
    assertThat(plan.starts(theirs)).isTrue();
  }

  /** Fails when tenants below an unreadable root are bounded only by their own quota. */
  @Test
  void noTenantStartsJobsWhileTheRootIsMissing() {
    fleet(1000, 1000, gpus(24));
    scene.quotas.removeIf(n -> n.id().equals(FleetQuota.ROOT));
    job("ours", acme, 0);
    job("theirs", beta, 0);

    assertThat(scene.plan().places()).isEmpty();
  }

  /**
   * Fails when an elastic job grows into quota that a job of another tenant waits for at the root.
   */
  @Test
  void elasticJobShrinksForAJobWaitingForFleetQuota() {
    fleet(1000, 1000, gpus(24));
    JobBuilder first = job("first", beta, 0).gang(2).gpus(8, "H100");
    JobBuilder elastic = job("elastic", acme, 100).elastic(1, 3).gpus(8, "H100");
    JobBuilder wide =
        new JobBuilder("wide", 50, beta).queue("beta", beta).gang(3).gpus(8, "H100").age(0);
    Story story = new Story(scene);
    assertThat(story.plan().nodes(elastic)).hasSize(1);
    story.pass(Duration.ofMinutes(30)).ends(first).submit(wide);

    assertThat(grown(story.look())).isZero();
    assertThat(grown(story.withdraw(wide).look())).isEqualTo(2);
  }

  private static int grown(Scene.Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.Grow.class::isInstance)
        .mapToInt(grow -> ((Decision.Grow) grow).members().size())
        .sum();
  }

  private JobBuilder job(String name, QuotaNodeId queue, int younger) {
    return scene
        .job(name)
        .queue(queue.equals(acme) ? "acme" : "beta", queue)
        .gpus(8, "H100")
        .age(1000 - younger);
  }

  private QuotaNodeId queue(TenantId tenant, String name, QuotaLimit... limits) {
    QuotaNodeId id = new QuotaNodeId(new UUID(5, tenant.value().getLeastSignificantBits()));
    scene.quotas.add(
        new QuotaNode(
            id,
            tenant,
            name,
            null,
            0,
            1000,
            List.of(limits),
            PreemptionRules.NONE,
            QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
    return id;
  }

  private void fleet(long ofAcme, long ofBeta, QuotaLimit... root) {
    add(MemoryQuotaStore.unlimitedRoot(), 1000, root);
    limit(ACME, ofAcme);
    limit(BETA, ofBeta);
  }

  private void limit(TenantId tenant, long weight, QuotaLimit... limits) {
    add(FleetQuota.unlimited(tenant), weight, limits);
  }

  private void add(QuotaNode node, long weight, QuotaLimit... limits) {
    scene.quotas.removeIf(n -> n.id().equals(node.id()));
    scene.quotas.add(
        new QuotaNode(
            node.id(),
            node.tenant(),
            node.name(),
            node.parent(),
            node.depth(),
            weight,
            List.of(limits),
            node.preemption(),
            null,
            SharePolicy.DOMINANT_SHARE,
            null,
            node.version()));
  }

  private static QuotaLimit gpus(long nominal) {
    return new QuotaLimit(H100, "gpu", nominal * 1000, null, null);
  }
}
