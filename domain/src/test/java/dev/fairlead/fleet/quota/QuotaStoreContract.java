package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.money.price.Money;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of the tree of every {@link QuotaStore}, and the update of its counters with its limits.
 */
public abstract class QuotaStoreContract {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final QuotaCell GPUS = new QuotaCell(H100, ResourceNames.GPU);

  private static final RecurringWindow NIGHTS =
      RecurringWindow.of(
          Cron.parse("0 22 * * 1-5"), Duration.ofHours(8), RecurringWindow.zone("Europe/Berlin"));

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void storedNodeIsReadBack() {
    QuotaNode rich =
        new QuotaNode(
            new QuotaNodeId(stores.ids().next()),
            world.tenant().id(),
            "rich",
            world.root().id(),
            1,
            2500,
            List.of(
                new QuotaLimit(
                    H100,
                    ResourceNames.GPU,
                    8000L,
                    4000L,
                    2000L,
                    List.of(
                        new LimitWindow(NIGHTS, 16_000L, null), new LimitWindow(NIGHTS, null, 0L)),
                    Duration.ofMinutes(10)),
                new QuotaLimit(H100, ResourceNames.CPU, null, null, null)),
            new PreemptionRules(
                PreemptionRules.WithinQueue.LOWER_PRIORITY,
                PreemptionRules.Reclaim.ANY,
                true,
                PreemptionRules.WhileBorrowing.LOWER_PRIORITY,
                100),
            new QueueSettings(
                QueueSettings.Order.STRICT_FIFO,
                QueueSettings.State.HELD,
                Duration.ofHours(2),
                true,
                new FlavorFallback(
                    FlavorFallback.WhenCanBorrow.TRY_NEXT_FLAVOR,
                    FlavorFallback.WhenCanPreempt.PREEMPT,
                    FlavorFallback.Preference.PREEMPTION),
                new RoutingPolicy(
                    List.of(
                        new RoutingPolicy.Tier(
                            List.of(CapacityType.RESERVED),
                            List.of("research"),
                            List.of(),
                            Duration.ZERO,
                            null,
                            RoutingPolicy.Order.FIXED),
                        new RoutingPolicy.Tier(
                            List.of(CapacityType.ON_DEMAND, CapacityType.SPOT),
                            List.of(),
                            List.of("eu-1", "us-2"),
                            Duration.ofMinutes(10),
                            new Money(3_200_000, "USD"),
                            RoutingPolicy.Order.CHEAPEST))),
                new UserLimits(4, 8000L, 16, 480L),
                new RunLimits(9, 9000L, 960L),
                new RunLimits(null, null, 4800L),
                List.of("nlp", "vision"),
                List.of("budget", "review")),
            SharePolicy.DESERVED_SHARE,
            Duration.ofDays(7),
            1);

    stores.quotas().insert(rich);

    assertThat(stores.quotas().node(world.tenant().id(), rich.id())).contains(rich);
    assertThat(stores.quotas().nodeNamed(world.tenant().id(), "rich")).contains(rich);
  }

  @Test
  void nodesAreListedByDepthThenName() {
    QuotaNode beta = add("beta", world.root());
    QuotaNode alpha = add("alpha", world.root());
    QuotaNode deep = add("a-deep", beta);

    assertThat(stores.quotas().nodes(world.tenant().id()))
        .containsExactly(world.root(), alpha, beta, world.queue(), deep);
  }

  @Test
  void eachTenantHasASeparateTree() {
    TestWorld other = TestWorld.in(stores);

    assertThat(stores.quotas().node(other.tenant().id(), world.queue().id())).isEmpty();
    assertThat(stores.quotas().nodes(other.tenant().id()))
        .containsExactly(other.root(), other.queue());
  }

  @Test
  void nameIsUniqueInATenant() {
    Refused.by(
        Guard.NAME_TAKEN,
        () ->
            stores
                .quotas()
                .insert(world.node("queue", world.root(), List.of(), QueueSettings.DEFAULT)));
  }

  @Test
  void staleUpdateIsRejected() {
    QuotaNode queue = world.queue();
    world.limit(queue, gpus(8000L, null, null));

    Refused.by(Guard.VERSION, () -> stores.quotas().update(next(queue)));
    assertThat(world.queue().limits()).hasSize(1);
  }

  @Test
  void useIsRecountedUnderNewLimits() {
    // Fails when update does not change the counters: borrowed use would be missing in the parent.
    run("one", 4);
    assertThat(used(world.root())).isZero();

    world.limit(world.root(), gpus(4000L, null, null), cpu(), memory());
    world.limit(world.queue(), gpus(3000L, null, 1000L), cpu(), memory());

    assertThat(used(world.queue())).isEqualTo(4000);
    assertThat(used(world.root()))
        .as("2 of its 3 are the queue's own, the rest is lent or borrowed")
        .isEqualTo(2000);
  }

  @Test
  void recountedUseIsReleasedInFull() {
    Attempt attempt = run("one", 4);
    world.limit(world.root(), gpus(4000L, null, null), cpu(), memory());
    world.limit(world.queue(), gpus(3000L, null, 1000L), cpu(), memory());

    world.succeed(attempt);

    assertThat(stores.quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
  }

  @Test
  void limitBelowItsUseIsRetainedAndAdmitsNothing() {
    run("one", 4);
    world.limit(world.queue(), gpus(2000L, 0L, null), cpu(), memory());
    Job next = world.submit(Specs.job("two").gpus(1));

    Refused.by(Guard.QUOTA, () -> world.place(next));
    assertThat(used(world.queue())).isEqualTo(4000);
  }

  /** Fails when a recount omits non-preemptible use, or leaves it at the old node. */
  @Test
  void nonPreemptibleUseIsRecountedAtTheNodeThatLimitsIt() {
    Job job = world.submit(Specs.job("firm").gpus(4).priority(PriorityClass.HIGH));
    Attempt attempt = world.run(world.place(job, 0, "node-1"));
    assertThat(nonPreemptible(world.root())).isZero();

    world.limit(world.root(), gpus(8000L, null, null), cpu(), memory());
    assertThat(nonPreemptible(world.root())).isEqualTo(4000);
    world.limit(world.queue(), gpus(2000L, null, null), cpu(), memory());

    assertThat(nonPreemptible(world.root())).isZero();
    assertThat(nonPreemptible(world.queue()))
        .as("a fact, though nominal quota is less")
        .isEqualTo(4000);
    Job next = world.submit(Specs.job("next").gpus(1).priority(PriorityClass.HIGH));
    Refused.by(Guard.QUOTA, () -> world.place(next));
    world.place(world.submit(Specs.job("borrows").gpus(1)), 0, "node-1");
    world.succeed(attempt);
    assertThat(nonPreemptible(world.queue())).isZero();
  }

  private long nonPreemptible(QuotaNode node) {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.node().equals(node.id()) && use.cell().equals(GPUS))
        .mapToLong(QuotaUse::nonPreemptible)
        .sum();
  }

  @Test
  void newSiblingChangesTheQuotaOfItsParent() {
    // Fails when an insert does not change the counters: the parent has more private quota after
    // it.
    QuotaNode group = add("group", world.root());
    QuotaNode busy = queueUnder("busy", group, gpus(2000L, null, null));
    world.limit(world.root(), gpus(8000L, null, null), cpu(), memory());
    world.limit(group, gpus(0L, null, 1000L), cpu(), memory());
    Job job = world.submit(world.newJob(Specs.job("busy").gpus(2).build(), world.project(), busy));
    Attempt attempt = world.run(world.place(job));
    assertThat(used(world.root())).isEqualTo(1000);

    queueUnder("idle", group, gpus(4000L, null, null));
    assertThat(used(world.root())).isZero();
    world.succeed(attempt);

    assertThat(stores.quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
  }

  @Test
  void borrowingStopsAtItsLimit() {
    world.limit(world.root(), gpus(8000L, null, null), cpu(), memory());
    world.limit(world.queue(), gpus(2000L, 1000L, null), cpu(), memory());
    run("own", 2);
    run("borrowed", 1);
    Job beyond = world.submit(Specs.job("beyond").gpus(1));

    Refused.by(Guard.QUOTA, beyond.id().text(), () -> world.place(beyond));
  }

  @Test
  void useOfEndedJobsIsStoredPerNodeWithAHalfLifeAbove() {
    // Fails when the end of an attempt does not record its use.
    world.succeed(run("before", 1));
    remember(world.root(), Duration.ofDays(7));

    Attempt attempt = run("after", 4);
    Attempt ended = world.succeed(attempt);

    Job job = stores.jobs().find(world.tenant().id(), attempt.job()).orElseThrow();
    assertThat(stores.world().read().pastUses())
        .filteredOn(use -> use.node().equals(world.root().id()))
        .singleElement()
        .satisfies(use -> {
          assertThat(use.queue()).isEqualTo(world.queue().id());
          assertThat(use.user()).isEqualTo(job.user());
          assertThat(use.at()).isEqualTo(ended.endedAt());
          assertThat(use.milliSeconds()).isNotNegative();
        });
    remember(world.root(), null);
    assertThat(stores.world().read().pastUses())
        .noneMatch(use -> use.node().equals(world.root().id()));
  }

  private void remember(QuotaNode node, @Nullable Duration halfLife) {
    QuotaNode now = stores.quotas().node(world.tenant().id(), node.id()).orElseThrow();
    stores.quotas().update(now.with().usageHalfLife(halfLife).version(now.version() + 1).build());
  }

  @Test
  void demandIsReplacedAndReadForOneTenant() {
    TestWorld other = TestWorld.in(stores);
    QuotaDemand its = new QuotaDemand(other.queue().id(), GPUS, 1000);
    stores.quotas().demand(List.of(new QuotaDemand(world.queue().id(), GPUS, 8000), its));
    QuotaDemand now = new QuotaDemand(world.queue().id(), GPUS, 4000);
    QuotaNodeId gone = new QuotaNodeId(stores.ids().next());

    stores.quotas().demand(List.of(now, its, new QuotaDemand(gone, GPUS, 1)));

    assertThat(stores.quotas().demands(world.tenant().id())).containsExactly(now);
    assertThat(stores.quotas().demands(other.tenant().id())).containsExactly(its);
    stores.quotas().demand(List.of(its));
    assertThat(stores.quotas().demands(world.tenant().id())).isEmpty();
  }

  @Test
  void emptyNodeIsDeletedByItsTenantOnly() {
    // Fails when a node is deleted by its id in any tenant.
    QuotaNode leaf = add("leaf", world.root());
    TenantId other = TestWorld.in(stores).tenant().id();
    Refused.by(Guard.VERSION, () -> stores.quotas().delete(other, leaf.id(), leaf.version()));

    stores.quotas().delete(world.tenant().id(), leaf.id(), leaf.version());

    assertThat(stores.quotas().node(world.tenant().id(), leaf.id())).isEmpty();
  }

  @Test
  void aNodeWithChildrenOrJobsIsNotDeleted() {
    QuotaNode parent = add("parent", world.root());
    add("child", parent);
    world.submit(Specs.job("waits"));

    Refused.by(Guard.REFERENCED, () -> stores.quotas().delete(world.tenant().id(), parent.id(), 1));
    Refused.by(
        Guard.REFERENCED, () -> stores.quotas().delete(world.tenant().id(), world.queue().id(), 1));
  }

  @Test
  void staleDeletionIsRejected() {
    QuotaNode leaf = add("leaf", world.root());

    Refused.by(
        Guard.VERSION,
        () -> stores.quotas().delete(world.tenant().id(), leaf.id(), leaf.version() + 1));
  }

  private Attempt run(String name, int gpus) {
    return world.run(world.place(world.submit(Specs.job(name).gpus(gpus)), 0, "node-1"));
  }

  private QuotaNode add(String name, QuotaNode parent) {
    QuotaNode node = world.node(name, parent, List.of(), null);
    stores.quotas().insert(node);
    return node;
  }

  private QuotaNode queueUnder(String name, QuotaNode parent, QuotaLimit gpus) {
    QuotaNode node =
        world.node(name, parent, List.of(gpus, cpu(), memory()), QueueSettings.DEFAULT);
    stores.quotas().insert(node);
    return node;
  }

  private long used(QuotaNode node) {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.node().equals(node.id()) && use.cell().equals(GPUS))
        .mapToLong(QuotaUse::used)
        .sum();
  }

  private static QuotaNode next(QuotaNode n) {
    return n.with().limits(List.of()).version(n.version() + 1).build();
  }

  private static QuotaLimit gpus(
      @Nullable Long nominal, @Nullable Long borrowing, @Nullable Long lending) {
    return new QuotaLimit(H100, ResourceNames.GPU, nominal, borrowing, lending);
  }

  private static QuotaLimit cpu() {
    return new QuotaLimit(H100, ResourceNames.CPU, null, null, null);
  }

  private static QuotaLimit memory() {
    return new QuotaLimit(H100, ResourceNames.MEMORY, null, null, null);
  }
}
