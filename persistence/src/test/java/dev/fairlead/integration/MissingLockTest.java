package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The effect of two transactions that wait for a lock on the counters when the statements lack the
 * lock or the guard after it: the race tests fail without them.
 */
@Execution(ExecutionMode.SAME_THREAD)
class MissingLockTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final String LOCK = "FOR NO KEY UPDATE";
  private static final String PATH = "quota_node WHERE id IN (SELECT id FROM path)";
  private static final String FLEET = "WHERE id = '00000000-0000-0000-0000-000000000000'";

  /** Called between the lock and the read of the usage, where the two transactions meet. */
  private static final String FLEET_LIMITED = "limit_count <> 0";

  private static final String BUDGETS = "FROM budget b\nWHERE b.id = ANY";

  /** Both have read the usage when they reach it. */
  private static final String WRITE_QUOTA_USE = "INSERT INTO quota_usage";

  /** Both have read the reservations when they reach it. */
  private static final String WRITE_USES = "INSERT INTO budget_use";

  private static final String LICENCES = "WHERE kind = 'LICENCE' AND name IN";

  /** Both have counted the holds when they reach it. */
  private static final String WRITE_HOLDS = "INSERT INTO licence_hold";

  private static final String ROOMS = "foreign_extended\nFROM node\nWHERE id IN";

  /**
   * The time for the second one to reach the point where the first one waits, if nothing blocks it.
   */
  private static final long MEETING_SECONDS = 20;

  /** The time spent waiting where a lock blocks the second transaction. */
  private static final long IN_VAIN_SECONDS = 2;

  /** Of a node of 64 cores. */
  private static final int MOST_OF_IT = 40_000;

  private static volatile @Nullable Meeting meeting;
  private static PostgresInstallation stores;

  @BeforeAll
  static void start() {
    stores =
        PostgresInstallation.altered(
            Embedded.migratedDatabase(),
            Embedded.server().user(),
            Embedded.server().password(),
            MissingLockTest::altered);
  }

  @AfterAll
  static void stop() {
    stores.close();
  }

  private static String altered(String statement) {
    Meeting now = meeting;
    return now == null ? statement : now.altered(statement);
  }

  /**
   * Fails when the lock of the quota path does not protect quota: two jobs would use quota for one.
   */
  @ParameterizedTest
  @CsvSource({"true, 1", "false, 2"})
  void lockOfItsPathProtectsQuota(boolean locked, int expected) throws Exception {
    TestWorld world = TestWorld.in(stores);
    limit(world, 1);
    assertThat(
            admitted(
                new Meeting(PATH, WRITE_QUOTA_USE, locked, true),
                one(world, world.submit(Specs.job("a").gpus(1)), 0),
                one(world, world.submit(Specs.job("b").gpus(1)), 1)))
        .isEqualTo(expected);
  }

  /** Fails when use is counted without the lock: one of two charges would be lost. */
  @ParameterizedTest
  @CsvSource({"true, 2000", "false, 1000"})
  void lockOfItsPathKeepsUseAccurate(boolean locked, long counted) throws Exception {
    TestWorld world = TestWorld.in(stores);
    limit(world, 8);
    assertThat(
            admitted(
                new Meeting(PATH, WRITE_QUOTA_USE, locked, true),
                one(world, world.submit(Specs.job("a").gpus(1)), 0),
                one(world, world.submit(Specs.job("b").gpus(1)), 1)))
        .isEqualTo(2);
    assertThat(stores.quotas().uses(world.tenant().id()))
        .filteredOn(use -> use.node().equals(world.queue().id()))
        .filteredOn(use -> use.cell().resource().equals(ResourceNames.GPU))
        .extracting(QuotaUse::used)
        .containsExactly(counted);
  }

  /**
   * Fails when the lock of its row does not protect a budget: two starts would spend the same
   * second.
   */
  @ParameterizedTest
  @CsvSource({"true, 1", "false, 2"})
  void lockOfItsRowProtectsABudget(boolean locked, int expected) throws Exception {
    TestWorld world = TestWorld.in(stores);
    // separate quota trees and nodes: only the budget orders these starts
    QuotaNode root = world.node("other-root", null, List.of(), null);
    QuotaNode queue = world.node("other", root, List.of(), QueueSettings.DEFAULT);
    stores.quotas().insert(root);
    stores.quotas().insert(queue);
    stores
        .bean(BudgetStore.class)
        .insert(
            new Budget(
                new BudgetId(stores.ids().next()),
                new BudgetScope(world.tenant().id(), null, null, null),
                "one-second",
                BudgetUnit.GPU_HOURS,
                BigInteger.valueOf(Budget.GPU_HOUR / 3600),
                BudgetPeriod.WEEK,
                Budget.Mode.HARD,
                BudgetExhaustedPolicy.FINISH,
                List.of(),
                List.of(),
                1),
            ClosedUse.NONE,
            false);
    Duration second = Duration.ofSeconds(1);
    Job here = world.newJob(Specs.job("a").gpus(1).maxRuntime(second).build());
    Job there =
        world.newJob(Specs.job("b").gpus(1).maxRuntime(second).build(), world.project(), queue);
    assertThat(
            admitted(
                new Meeting(BUDGETS, WRITE_USES, locked, true),
                one(world, world.submit(here), 0),
                one(world, world.submit(there), world.node("node-2"), 1)))
        .isEqualTo(expected);
  }

  /**
   * Fails when the lock of its row does not protect a licence: two starts would hold the same one.
   */
  @ParameterizedTest
  @CsvSource({"true, 1", "false, 2"})
  void lockOfItsRowProtectsALicence(boolean locked, int expected) throws Exception {
    TestWorld world = TestWorld.in(stores);
    // separate quota trees and nodes: only the licence orders these starts
    QuotaNode root = world.node("other-root", null, List.of(), null);
    QuotaNode queue = world.node("other", root, List.of(), QueueSettings.DEFAULT);
    stores.quotas().insert(root);
    stores.quotas().insert(queue);
    String licence = world.uniqueName("ansys");
    world.put(new Licence(licence, 1));
    Job here = world.newJob(Specs.job("a").gpus(1).licence(licence, 1).build());
    Job there =
        world.newJob(Specs.job("b").gpus(1).licence(licence, 1).build(), world.project(), queue);
    assertThat(
            admitted(
                new Meeting(LICENCES, WRITE_HOLDS, locked, true),
                one(world, world.submit(here), 0),
                one(world, world.submit(there), world.node("node-2"), 1)))
        .isEqualTo(expected);
  }

  /**
   * Fails when neither lock-rooms nor the guard of update-rooms protects the capacity of a node.
   */
  @ParameterizedTest
  @CsvSource({"true, true, 1", "false, true, 1", "true, false, 1", "false, false, 2"})
  void lockAndRowGuardProtectNodeCapacity(boolean locked, boolean guarded, int expected)
      throws Exception {
    TestWorld one = TestWorld.in(stores);
    TestWorld other = TestWorld.in(stores);
    Node node = one.node("node-1");
    assertThat(admitted(new Meeting(ROOMS, locked, guarded), most(one, node), most(other, node)))
        .isEqualTo(expected);
    assertThat(one.node("node-1").allocated().cpuMilli()).isEqualTo((long) expected * MOST_OF_IT);
  }

  @Test
  void statementsAreTheOnesAlteredByTheseTests() {
    assertThat(SqlFile.named("job/lock-quota-paths").text()).contains(PATH).endsWith(LOCK);
    assertThat(SqlFile.named("quota/lock-fleet").text()).contains(FLEET).endsWith(LOCK);
    assertThat(SqlFile.named("quota/fleet-limited").text()).contains(FLEET_LIMITED);
    assertThat(SqlFile.named("job/lock-rooms").text()).contains(ROOMS).endsWith(LOCK);
    assertThat(SqlFile.named("job/update-rooms").text()).contains(Meeting.GUARD);
    assertThat(SqlFile.named("budget/lock-budgets").text()).contains(BUDGETS).endsWith(LOCK);
    assertThat(SqlFile.named("budget/write-uses").text()).contains(WRITE_USES);
  }

  private static QuotaNode fleetRoot() {
    return stores.fleetQuotas().fleet().getFirst();
  }

  /** The counters of the root when it has a limit. */
  private static long used(QuotaNode root, long milli) {
    fleet(root, new QuotaLimit(H100, ResourceNames.GPU, milli, null, null));
    return stores.forest().fleetUses().stream()
        .filter(use -> use.node().equals(root.id()))
        .filter(use -> use.cell().resource().equals(ResourceNames.GPU))
        .mapToLong(QuotaUse::used)
        .sum();
  }

  private static void fleet(QuotaNode root, QuotaLimit... limits) {
    stores
        .fleetQuotas()
        .updateFleet(
            root.with()
                .parent(null)
                .depth(0)
                .limits(List.of(limits))
                .queue(null)
                .version(root.version() + 1)
                .build());
  }

  private static void limit(TestWorld world, long gpus) {
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, gpus * 1000L, 0L, null),
        new QuotaLimit(H100, ResourceNames.CPU, null, null, null),
        new QuotaLimit(H100, ResourceNames.MEMORY, null, null, null));
  }

  private static Callable<Boolean> one(TestWorld world, Job job, int index) {
    return one(world, job, world.node("node-1"), index);
  }

  private static Callable<Boolean> one(TestWorld world, Job job, Node node, int index) {
    GpuShare share = new GpuShare(index, node.gpus().get(index).serial(), Gpu.WHOLE_MILLI);
    return admission(
        world,
        world.attempt(
            job,
            0,
            List.of(
                Members.member(
                    job.spec().roles().getFirst(),
                    0,
                    node,
                    CapacityType.RESERVED,
                    List.of(share)))));
  }

  private static Callable<Boolean> most(TestWorld tenant, Node node) {
    Job job = tenant.submit(Specs.job("most").gpu(GpuRequest.NONE).cpuMilli(MOST_OF_IT));
    return admission(
        tenant,
        tenant.attempt(job, 0, Members.of(job.spec(), List.of(node), CapacityType.RESERVED)));
  }

  private static Callable<Boolean> admission(TestWorld world, Attempt attempt) {
    return () -> {
      try {
        world.append(world.admission(attempt));
        return true;
      } catch (Conflict full) {
        return false;
      }
    };
  }

  /** Two transactions block each other after a statement. */
  private static final class Meeting {
    static final String GUARD = "AND (NOT r.takes";

    private final String behind;
    private final String before;
    private final boolean locked;
    private final boolean guarded;
    private final CyclicBarrier both = new CyclicBarrier(2);
    private final ThreadLocal<Boolean> next = ThreadLocal.withInitial(() -> false);

    /** At the next statement. */
    Meeting(String behind, boolean locked, boolean guarded) {
      this(behind, "", locked, guarded);
    }

    Meeting(String behind, String before, boolean locked, boolean guarded) {
      this.behind = behind;
      this.before = before;
      this.locked = locked;
      this.guarded = guarded;
    }

    String altered(String statement) {
      if (next.get() && statement.contains(before) && !statement.contains(FLEET_LIMITED)) {
        next.set(false);
        meet();
      }
      if (statement.contains(behind) && statement.contains(LOCK)) {
        next.set(true);
        return locked ? statement : statement.replace(LOCK, "");
      }
      return guarded || !statement.contains("UPDATE node AS n")
          ? statement
          : statement.replace(GUARD, "AND (TRUE OR NOT r.takes");
    }

    /** If a lock blocks the second transaction, the first continues alone. */
    private void meet() {
      try {
        both.await(locked ? IN_VAIN_SECONDS : MEETING_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException | BrokenBarrierException alone) {
        assertThat(locked).as("nothing keeps the other one").isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Number of the two transactions that were admitted. */
  private static int admitted(Meeting between, Callable<Boolean> one, Callable<Boolean> other)
      throws Exception {
    meeting = between;
    List<Boolean> in = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (Future<Boolean> answer : threads.invokeAll(List.of(one, other))) {
        in.add(answer.get());
      }
    } finally {
      meeting = null;
    }
    return (int) in.stream().filter(admitted -> admitted).count();
  }
}
