package dev.fairlead.fleet.quota.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WhileBorrowing;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Fails when a rule without effect at its position in the tree is stored. */
class QuotasTest {
  private static final PreemptionRules BORROWING =
      new PreemptionRules(
          WithinQueue.NEVER, Reclaim.ANY, false, WhileBorrowing.LOWER_PRIORITY, null);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final Actor admin = new Actor(TestWorld.in(stores).tenant().id(), "root", Role.ADMIN);
  private final Quotas quotas =
      new Quotas(
          stores.transactions(),
          stores.quotas(),
          stores.tenants(),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids());

  private static QuotaSpec group(SharePolicy policy) {
    return new QuotaSpec("group", null, 1000, List.of(), PreemptionRules.NONE, null, policy, null);
  }

  private static QuotaSpec queue(PreemptionRules rules, long weight) {
    return new QuotaSpec(
        "guests",
        "group",
        weight,
        List.of(),
        rules,
        QueueSettings.DEFAULT,
        SharePolicy.DOMINANT_SHARE,
        null);
  }

  private static QuotaSpec byPriority(long weight, @Nullable Duration halfLife) {
    return new QuotaSpec(
        "group",
        null,
        weight,
        List.of(),
        PreemptionRules.NONE,
        null,
        SharePolicy.PRIORITY,
        halfLife);
  }

  /** Fails when a parent that does not exist is called a leaf. */
  @Test
  void missingParentAndQueueParentHaveDistinctMessages() {
    QuotaSpec guests = queue(PreemptionRules.NONE, 1000);
    assertThatThrownBy(() -> quotas.create(admin, guests, null, false))
        .satisfies(problem("quotas.there-quota-group", "group"));
    create(group(SharePolicy.DOMINANT_SHARE));
    create(guests);
    QuotaSpec below =
        new QuotaSpec(
            "below",
            "guests",
            1000,
            List.of(),
            PreemptionRules.NONE,
            QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null);
    assertThatThrownBy(() -> quotas.create(admin, below, null, false))
        .satisfies(problem("quotas.guests-cannot-children-queue", "guests"));
  }

  /** Fails when a group that an earlier version stored can no longer be changed. */
  @Test
  void omittedPastUseIsRejectedUnlessStoredEarlier() {
    Duration week = Duration.ofDays(7);
    assertThatThrownBy(() -> quotas.create(admin, byPriority(1000, week), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("usageHalfLife has no effect");
    create(byPriority(1000, null));
    assertThatThrownBy(() -> quotas.update(admin, "group", byPriority(1000, week), 1, false))
        .isInstanceOf(Refusal.class);
    QuotaNode stored = stores.quotas().nodeNamed(admin.tenant(), "group").orElseThrow();
    stores.quotas().update(withHalfLife(stored, week));

    assertThat(quotas.update(admin, "group", byPriority(2000, week), 2, false).node().weight())
        .isEqualTo(2000);
  }

  private static QuotaNode withHalfLife(QuotaNode node, Duration halfLife) {
    return node.with().usageHalfLife(halfLife).version(node.version() + 1).build();
  }

  /** Fails when the tree is checked before the change is written: another change may interleave. */
  @Test
  void concurrentChangeOfTheGroupIsSeen() {
    create(group(SharePolicy.DOMINANT_SHARE));
    create(queue(PreemptionRules.NONE, 1000));
    QuotaStore raced =
        (QuotaStore)
            Proxy.newProxyInstance(
                QuotaStore.class.getClassLoader(),
                new Class<?>[] {QuotaStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("update")) {
                    quotas.update(admin, "group", group(SharePolicy.DESERVED_SHARE), 1, false);
                  }
                  return method.invoke(stores.quotas(), arguments);
                });
    Quotas racing =
        new Quotas(
            stores.transactions(),
            raced,
            stores.tenants(),
            new Idempotency(stores.idempotency()),
            stores.audit(),
            stores.ids());

    assertThatThrownBy(() -> racing.update(admin, "guests", queue(BORROWING, 1000), 1, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("quotas.whileborrowing-effect-below-group", "whileBorrowing"));
  }

  /**
   * Fails when a queue may name a project that its tenant does not have, even if it has named it
   * before.
   */
  @Test
  void queueListsProjectsOfItsTenant() {
    create(group(SharePolicy.DOMINANT_SHARE));
    String there = stores.tenants().projects(admin.tenant()).getFirst().name();

    assertThatThrownBy(() -> quotas.create(admin, queueOf("guessed"), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("quotas.there-project-guessed", "guessed"));
    create(queueOf(there));
    QuotaNode stored = stores.quotas().nodeNamed(admin.tenant(), "guests").orElseThrow();
    stores.quotas().update(withQueue(stored, QueueSettings.DEFAULT.of(List.of("former"))));

    assertThat(quotas.update(admin, "guests", queueOf(there), 2, false).node().queue())
        .isEqualTo(QueueSettings.DEFAULT.of(List.of(there)));
    assertThatThrownBy(() -> quotas.update(admin, "guests", queueOf("former", there), 3, false))
        .isInstanceOf(Refusal.class);
  }

  /** Fails when a member of one project reads the names of others. */
  @Test
  void callerSeesOnlyItsVisibleProjects() {
    create(group(SharePolicy.DOMINANT_SHARE));
    Project own = stores.tenants().projects(admin.tenant()).getFirst();
    create(queueOf(own.name()));
    QuotaNode stored = stores.quotas().nodeNamed(admin.tenant(), "guests").orElseThrow();
    stores.quotas().update(withQueue(stored, QueueSettings.DEFAULT.of(List.of("b", own.name()))));
    Actor ana = seeing(own.id());
    Actor bob = seeing(new ProjectId(stores.ids().next()));

    assertThat(shownTo(admin)).containsExactly("b", own.name());
    assertThat(shownTo(ana)).containsExactly(own.name());
    assertThat(shownTo(bob)).isEmpty();
    assertThat(quotas.tree(bob))
        .extracting(view -> view.node().queue())
        .filteredOn(Objects::nonNull)
        .contains(QueueSettings.DEFAULT.of(List.of()));
  }

  private @Nullable List<String> shownTo(Actor actor) {
    return Objects.requireNonNull(quotas.queue(actor, "guests").node().queue()).projects();
  }

  private Actor seeing(ProjectId project) {
    TreeSet<Role> roles = new TreeSet<>(List.of(Role.PROJECT_MEMBER));
    return new Actor(admin.tenant(), "ana", roles, List.of(project), null, roles);
  }

  private static QuotaSpec queueOf(String... projects) {
    return new QuotaSpec(
        "guests",
        "group",
        1000,
        List.of(),
        PreemptionRules.NONE,
        QueueSettings.DEFAULT.of(List.of(projects)),
        SharePolicy.DOMINANT_SHARE,
        null);
  }

  private static QuotaNode withQueue(QuotaNode node, QueueSettings queue) {
    return node.with().queue(queue).version(node.version() + 1).build();
  }

  private void create(QuotaSpec spec) {
    assertThat(quotas.create(admin, spec, null, false).node().name()).isEqualTo(spec.name());
  }

  @Test
  void queueBelowADividingGroupCannotEvictWhileBorrowing() {
    create(group(SharePolicy.DESERVED_SHARE));
    assertThatThrownBy(() -> quotas.create(admin, queue(BORROWING, 1000), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("quotas.whileborrowing-effect-below-group", "whileBorrowing"))
        .hasMessageContaining("Remove whileBorrowing");
    create(queue(PreemptionRules.NONE, 1000));
    assertThatThrownBy(() -> quotas.update(admin, "guests", queue(BORROWING, 1000), 1, false))
        .isInstanceOf(Refusal.class);
  }

  @Test
  void groupCannotDivideItsGpusAboveAQueueThatEvictsWhileBorrowing() {
    create(group(SharePolicy.DOMINANT_SHARE));
    create(queue(BORROWING, 1000));
    assertThatThrownBy(
            () -> quotas.update(admin, "group", group(SharePolicy.DESERVED_SHARE), 1, false))
        .isInstanceOf(Refusal.class)
        .satisfies(
            problem(
                "quotas.set-preemption-whileborrowing-guests",
                "preemption.whileBorrowing",
                "NEVER"));
    assertThat(quotas.update(admin, "guests", queue(BORROWING, 2000), 1, false).node().weight())
        .isEqualTo(2000);
  }
}
