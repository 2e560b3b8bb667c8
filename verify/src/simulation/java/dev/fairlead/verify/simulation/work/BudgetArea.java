package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.budget.memory.MemoryBudgetStore;
import dev.fairlead.money.budget.service.BudgetLoop;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.service.attempt.BudgetEnforcement;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A hard budget of a week that covers all jobs, and grants that expire. Independent books follow
 * the commits. At each start the budget counts at least as much as the books, and has room.
 */
public final class BudgetArea implements Area {
  /** More than any run uses. */
  private static final long PLENTY = 1_000_000;

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final UsageLedger ledger;
  private final MemoryBudgetStore budgets;
  private final BudgetId id;
  private final long week;
  private final List<ProcessLife> processes = new ArrayList<>();
  private final Map<AttemptId, Charged> live = new HashMap<>();
  private long ended;
  private boolean open = true;
  private boolean crossed;

  /** A start beyond the limit, found while its commit was delivered. */
  private @Nullable String broken;

  /** GPUs of one member, and the time from which it holds them. */
  private record Taken(long milli, long fromMillis) {}

  /** Allocation of one attempt, and the minimum time that its start reserved. */
  private static final class Charged {
    private final long reservedMillis;
    private final Map<String, Taken> members = new HashMap<>();
    private long left;

    private Charged(long reservedMillis) {
      this.reservedMillis = reservedMillis;
    }
  }

  public BudgetArea(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      UsageLedger ledger,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.ledger = ledger;
    MemoryStores stores = durable.stores();
    this.budgets = stores.budgets();
    boolean raw = missing.contains(Guard.BUDGET_CLOCK);
    budgets.timedBy(() -> raw ? clock() : ledger.latest(), ledger::open);
    stores.uses().stampedBy(() -> raw ? clock() : stamp());
    if (missing.contains(Guard.RENEWAL)) {
      budgets.renewNothing();
    }
    this.week = BudgetPeriod.WEEK.begin(clock());
    Budget budget =
        new Budget(
                new BudgetId(stores.ids().next()),
                new BudgetScope(durable.world().tenant().id(), null, null, null),
                "research",
                BudgetUnit.GPU_HOURS,
                hours(List.of(4, 16, 64).get(chance.nextInt(3))),
                BudgetPeriod.WEEK,
                Budget.Mode.HARD,
                BudgetExhaustedPolicy.FINISH,
                List.of(50, 100),
                List.of(),
                1)
            .at(
                chance.nextBoolean()
                    ? BudgetExhaustedPolicy.FINISH
                    : BudgetExhaustedPolicy.PREEMPT);
    this.id = budget.id();
    budgets.insert(budget, ClosedUse.NONE, false);
    durable.afterAttempts(this::follow);
    time.in(Duration.ofMinutes(2L + chance.nextInt(8)), "a grant", this::grant);
  }

  private static BigInteger hours(long hours) {
    return BigInteger.valueOf(hours).multiply(BigInteger.valueOf(Budget.GPU_HOUR));
  }

  private long clock() {
    return durable.stores().clock().instant().toEpochMilli();
  }

  /** The time when the ledger of GPUs would book now. */
  private long stamp() {
    return Math.max(ledger.latest(), ledger.open());
  }

  private BudgetState state() {
    return budgets.state(id).orElseThrow();
  }

  private void grant() {
    if (open) {
      long now = budgets.now();
      long until = now + Duration.ofMinutes(5L + chance.nextInt(60)).toMillis();
      BigInteger amount = hours(1L + chance.nextInt(16));
      budgets.update(state().budget().granting(new BudgetGrant(amount, now, until, "more")));
      time.in(Duration.ofMinutes(2L + chance.nextInt(8)), "a grant", this::grant);
    }
  }

  @Override
  public List<Loop> loops(Process process) {
    processes.removeIf(life -> !life.alive());
    processes.add(process.life());
    MemoryStores stores = durable.stores();
    JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), transition -> {});
    return List.of(
        new BudgetLoop(
            process.leases(),
            budgets,
            new BudgetEnforcement(stores.jobs(), writer, budgets, stores.audit()),
            process.transactions(),
            new SimpleMeterRegistry()));
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.BUDGET_HOLDER);
  }

  /** The process that holds the lease of the loop of budgets ends. */
  @Override
  public Runnable strike(Fault fault) {
    durable
        .stores()
        .leases()
        .read("budgets")
        .ifPresent(row ->
            processes.stream()
                .filter(life -> life.name().equals(row.holder()))
                .forEach(life -> life.end("holding the lease of budgets")));
    return () -> {};
  }

  /** Follows one commit. A start is checked against everything that held GPUs before it. */
  private void follow() {
    Map<AttemptId, Attempt> now = new HashMap<>();
    durable.stores().jobs().live().forEach(attempt -> now.put(attempt.id(), attempt));
    live.keySet()
        .removeIf(attempt -> {
          if (now.containsKey(attempt)) {
            return false;
          }
          Charged charged = live.get(attempt);
          charged.members.values().forEach(taken -> charged.left += used(taken));
          ended += charged.left;
          return true;
        });
    boolean started = false;
    for (Attempt attempt : now.values()) {
      started |= !live.containsKey(attempt.id()) && gpus(attempt.members()) > 0;
      move(live.computeIfAbsent(attempt.id(), a -> new Charged(reserved(attempt))), attempt);
    }
    if (started) {
      checkStart();
    }
  }

  private static long gpus(List<Member> members) {
    return members.stream().mapToLong(Member::gpuMilli).sum();
  }

  private void move(Charged charged, Attempt attempt) {
    Map<String, Taken> before = new HashMap<>(charged.members);
    charged.members.clear();
    for (Member member : attempt.members()) {
      String key = MemberKey.of(member).text();
      Taken taken = before.remove(key);
      charged.members.put(key, taken != null ? taken : new Taken(member.gpuMilli(), stamp()));
    }
    before.values().forEach(gone -> charged.left += used(gone));
  }

  private long reserved(Attempt attempt) {
    Job job = durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
    Duration ofQueue =
        durable
            .stores()
            .quotas()
            .node(job.tenant(), job.queue())
            .map(QuotaNode::queue)
            .map(queue -> queue.defaultMaxRuntime())
            .orElse(null);
    return Budget.reserved(job.spec().maxRuntime(), ofQueue);
  }

  private long used(Taken taken) {
    return taken.milli() * Math.max(0, stamp() - taken.fromMillis());
  }

  private long charged(Charged charged) {
    long reserved =
        charged.members.values().stream().mapToLong(m -> m.milli() * charged.reservedMillis).sum();
    long used = charged.members.values().stream().mapToLong(this::used).sum();
    return Math.max(reserved, used);
  }

  /**
   * A budget counts at least the use of its attempts, and no start exceeds its limit. Attempts that
   * run longer than they reserved may exceed it.
   */
  private void checkStart() {
    crossed |= BudgetPeriod.WEEK.begin(clock()) != week;
    if (crossed) {
      return;
    }
    long least = ended + live.values().stream().mapToLong(this::charged).sum();
    BudgetState state = state();
    BigInteger counted = state.use(week).charged();
    BigInteger limit = state.budget().limit(week, budgets.now());
    if (counted.compareTo(BigInteger.valueOf(least)) < 0) {
      broken = "counts %s of at least %d".formatted(counted, least);
    } else if (counted.compareTo(limit) > 0) {
      broken = "a start counts %s of %s".formatted(counted, limit);
    }
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.BUDGET_IS_NOT_PASSED, broken);
    }
  }

  /** An owner of the tenant raises the amount, so that every job can end. */
  @Override
  public void heal() {
    open = false;
    Budget budget = state().budget();
    budgets.update(budget.with(hours(PLENTY), Budget.Mode.HARD, budget.alerts()));
  }

  /** Without a live attempt nothing is reserved, and the counters equal the intervals of use. */
  @Override
  public void end() {
    BudgetState state = state();
    BigInteger reserved =
        state.uses().values().stream()
            .map(BudgetUse::reserved)
            .reduce(BigInteger.ZERO, BigInteger::add);
    if (reserved.signum() != 0) {
      throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, "reserved in a budget: " + state);
    }
    boolean drifts =
        durable
            .stores()
            .database()
            .call(() -> !budgets.recount(id, budgets.closed(state.budget())).isEmpty());
    if (drifts) {
      throw new InvariantBroken(Invariant.BUDGET_IS_NOT_PASSED, "not what intervals say: " + state);
    }
  }
}
