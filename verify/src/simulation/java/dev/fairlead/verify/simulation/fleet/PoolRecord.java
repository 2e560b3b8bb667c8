package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.service.IdleCostQueries;
import dev.fairlead.money.statement.service.StatementDocuments;
import dev.fairlead.money.statement.service.Statements;
import dev.fairlead.money.statement.service.TokenCosts;
import dev.fairlead.money.statement.service.VolumeCosts;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.service.SpillQueries;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.world.memory.MemoryStores;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cost of a policy and the waits of its jobs, by statements, spill report and stored attempts.
 */
public final class PoolRecord {
  private static final double GPU_HOUR = 3.6e9;

  private final PoolPlan plan;
  private final PoolPolicy policy;
  private final MemoryStores stores;
  private final PoolBooks books;
  private final List<Job> jobs;
  private final OnDemandNodes supplier;
  private final List<Attempt> attempts;
  private final List<StatementLine> lines = new ArrayList<>();
  private final SpillReport spill;
  private final Instant begin;
  private final Instant end;

  /**
   * @param submitted as they were then
   */
  PoolRecord(
      PoolPlan plan,
      PoolPolicy policy,
      FleetWorld world,
      PoolBooks books,
      List<Job> submitted,
      OnDemandNodes supplier) {
    this.supplier = supplier;
    this.plan = plan;
    this.policy = policy;
    this.stores = world.stores();
    this.books = books;
    this.jobs = stores.jobs().findAll(submitted.stream().map(Job::id).toList());
    this.attempts = stores.jobs().everyAttempt();
    this.begin = Instant.ofEpochMilli(books.ledger().all().getFirst().startMillis());
    this.end = Instant.ofEpochMilli(books.open());
    Statements statements =
        new Statements(
            books,
            new NoText(),
            books.ledger(),
            new IdleCostQueries(
                new NoPolicies(),
                books.ledger(),
                stores.prices(),
                stores.tenants(),
                stores.transactions()),
            new VolumeCosts(stores.volumes(), stores.tenants(), stores.inventory()),
            new TokenCosts(stores.serviceKeys(), books.ledger(), stores.prices(), stores.tenants()),
            stores.prices(),
            stores.tenants(),
            stores.transactions());
    YearMonth last = YearMonth.from(end.atOffset(ZoneOffset.UTC));
    YearMonth month = YearMonth.from(begin.atOffset(ZoneOffset.UTC));
    for (; !month.isAfter(last); month = month.plusMonths(1)) {
      lines.addAll(statements.statement(world.owner(), month).lines());
    }
    this.spill =
        new SpillQueries(books.ledger(), stores.transactions())
            .report(world.owner(), false, begin, end);
  }

  /** No statement is signed, so none is a text. */
  private static final class NoText implements StatementDocuments {
    @Override
    public String write(Statement statement) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Statement read(String document) {
      throw new UnsupportedOperationException();
    }
  }

  /** Idle time is shown separately. */
  private static final class NoPolicies implements IdleCostStore {
    @Override
    public List<IdleCostPolicy> policies() {
      return List.of();
    }

    @Override
    public void insert(IdleCostPolicy policy) {
      throw new UnsupportedOperationException();
    }
  }

  PoolPolicy policy() {
    return policy;
  }

  /** Whole hours from the begin to the last job's end, rounded up. */
  long hours() {
    return Duration.between(begin, end).toHours();
  }

  /** The charges of statements for capacity of the type, in units of the currency. */
  double charged(CapacityType type) {
    return lines.stream()
            .filter(line -> line.key().flavor().capacity() == type && line.charge() != null)
            .map(line -> line.charge().micros())
            .reduce(BigInteger.ZERO, BigInteger::add)
            .doubleValue()
        / 1e6;
  }

  /** Prices of the type's capacity in statements. */
  Set<PriceId> prices(CapacityType type) {
    return lines.stream()
        .filter(line -> line.key().flavor().capacity() == type && line.charge() != null)
        .map(line -> line.charge().price())
        .collect(Collectors.toSet());
  }

  /**
   * All paid capacity: reserved capacity for the whole period, used or not, and other capacity as
   * in the statements.
   *
   * @param hours hours of the period
   */
  double paid(long hours) {
    double sunk =
        plan.prices().reserved().amount().doubleValue() * plan.gpus(CapacityType.RESERVED) * hours;
    return sunk + charged(CapacityType.ON_DEMAND) + charged(CapacityType.SPOT);
  }

  /** Part of the reserved GPU time of the period that was used. */
  double reservedUse(long hours) {
    long used =
        spill.reserved().stream()
            .mapToLong(r -> r.buckets().getOrDefault(UsageBucket.USED, 0L))
            .sum();
    return used / GPU_HOUR / ((double) plan.gpus(CapacityType.RESERVED) * hours);
  }

  /** GPU-hours outside reserved capacity. */
  double spilled() {
    return spill.spill().stream().mapToLong(SpillReport.Spilled::used).sum() / GPU_HOUR;
  }

  /** The largest part of them that reserved capacity could have served. */
  double servable() {
    return spill.spill().stream().mapToLong(SpillReport.Spilled::servable).sum() / GPU_HOUR;
  }

  /** From the submission to the end, without the run. */
  Percentiles waits() {
    List<Duration> waits = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      Instant ended = jobs.get(i).run().endedAt();
      if (jobs.get(i).state() == JobState.SUCCEEDED && ended != null) {
        Duration run = Duration.ofSeconds(Math.max(1, plan.jobs().get(i).arrival().run()));
        Duration wait = Duration.between(jobs.get(i).createdAt(), ended).minus(run);
        waits.add(wait.isNegative() ? Duration.ZERO : wait);
      }
    }
    return new Percentiles(waits);
  }

  Duration meanWait() {
    Percentiles waits = waits();
    long sum = 0;
    for (int i = 0; i < jobs.size(); i++) {
      Instant ended = jobs.get(i).run().endedAt();
      if (jobs.get(i).state() == JobState.SUCCEEDED && ended != null) {
        long all = Duration.between(jobs.get(i).createdAt(), ended).toMillis();
        sum += Math.max(0, all - 1000 * Math.max(1, plan.jobs().get(i).arrival().run()));
      }
    }
    return Duration.ofMillis(waits.count() == 0 ? 0 : sum / waits.count());
  }

  /** Unfinished attempts. */
  long evictions() {
    return attempts.stream().filter(a -> a.state() != AttemptState.SUCCEEDED).count();
  }

  /** Attempts that were ordered to continue on reserved capacity. */
  long moves() {
    return attempts.stream()
        .map(Attempt::failure)
        .filter(failure -> failure != null && failure.right() == EvictionRight.MOVED_BACK)
        .count();
  }

  long finished() {
    return jobs.stream().filter(job -> job.state() == JobState.SUCCEEDED).count();
  }

  int submitted() {
    return jobs.size();
  }

  /** Descriptions of violated laws. */
  List<String> broken() {
    List<String> broken = new ArrayList<>();
    jobs.stream()
        .filter(job -> job.run().endedAt() == null)
        .forEach(job -> broken.add(job.name() + " is " + job.state()));
    twoAtOnce(broken);
    long used = books.ledger().all().stream().mapToLong(PoolRecord::used).sum();
    long billed = lines.stream().mapToLong(StatementLine::milliMillis).sum();
    if (used != billed) {
      broken.add("statements have " + billed + " of the use " + used);
    }
    long beside = books.ledger().all().stream().mapToLong(PoolRecord::usedBeside).sum();
    long causes = spill.spill().stream().mapToLong(SpillReport.Spilled::used).sum();
    if (beside != causes) {
      broken.add("causes of spill add up to " + causes + " of the use " + beside);
    }
    wronglyPriced(broken);
    return broken;
  }

  private static long used(UseFacts hour) {
    return uses(hour).mapToLong(Map.Entry::getValue).sum();
  }

  private static Stream<Map.Entry<UseKey, Long>> uses(UseFacts hour) {
    return hour.sums().entrySet().stream().filter(use -> use.getKey().kind() == UseKind.USE);
  }

  private static long usedBeside(UseFacts hour) {
    return uses(hour)
        .filter(use -> use.getKey().capacity() != CapacityType.RESERVED)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private void twoAtOnce(List<String> broken) {
    List<Attempt> inTurn = new ArrayList<>(attempts);
    inTurn.sort(Comparator.comparing(Attempt::job).thenComparing(Attempt::number));
    for (int i = 1; i < inTurn.size(); i++) {
      Attempt one = inTurn.get(i - 1);
      Attempt next = inTurn.get(i);
      Instant over = one.endedAt();
      if (one.job().equals(next.job()) && (over == null || over.isAfter(next.createdAt()))) {
        broken.add("two attempts at once: " + one + " and " + next);
      }
    }
  }

  /** The amounts recalculated, hour by hour, and each line within the validity of its price. */
  private void wronglyPriced(List<String> broken) {
    PriceBook book = stores.prices().book();
    BigDecimal due = BigDecimal.ZERO;
    for (UseFacts hour : books.ledger().all()) {
      Instant at = Instant.ofEpochMilli(hour.startMillis());
      for (Map.Entry<UseKey, Long> use : uses(hour).toList()) {
        Flavor flavor = use.getKey().flavor();
        Price price =
            book.at(use.getKey().cluster(), null, flavor.model(), flavor.capacity(), at)
                .orElseThrow();
        due =
            due.add(
                BigDecimal.valueOf(use.getValue())
                    .multiply(BigDecimal.valueOf(price.perUnit().micros()))
                    .divide(BigDecimal.valueOf(GPU_HOUR), MathContext.DECIMAL128));
      }
    }
    BigInteger said = BigInteger.ZERO;
    for (StatementLine line : lines) {
      said = said.add(line.charge().micros());
      Price price = book.price(line.charge().price()).orElseThrow();
      Instant last = line.to().minusMillis(HourBook.HOUR_MILLIS);
      if (!book.effective(price).covers(line.from()) || !book.effective(price).covers(last)) {
        broken.add(line + " is outside " + book.effective(price));
      }
    }
    BigDecimal off = due.subtract(new BigDecimal(said)).abs();
    if (off.compareTo(BigDecimal.valueOf(lines.size())) > 0) {
      broken.add("statements charge " + said + " millionths, hours cost " + due);
    }
  }

  /** A row of the table. */
  String row(long hours) {
    Percentiles waits = waits();
    return "%-26s %,10.0f %,9.0f %,9.0f %9s %9s %7.1f %% %,10.0f %,9.0f %9d %6d of %d"
        .formatted(
            policy.text,
            paid(hours),
            charged(CapacityType.ON_DEMAND),
            charged(CapacityType.SPOT),
            text(meanWait()),
            text(waits.at(95)),
            100 * reservedUse(hours),
            spilled(),
            servable(),
            evictions(),
            finished(),
            submitted());
  }

  OnDemandNodes supplier() {
    return supplier;
  }

  /** Attempts on spot nodes that did not finish. */
  long spotEvictions() {
    ClusterId spot =
        stores.inventory().clusterNamed(PoolPlan.cluster(CapacityType.SPOT)).orElseThrow().id();
    return attempts.stream()
        .filter(a -> a.cluster().equals(spot) && a.state() != AttemptState.SUCCEEDED)
        .count();
  }

  /** GPU-hours that jobs used on demand. */
  double onDemandHours() {
    return spill.spill().stream()
            .filter(s -> s.capacity() == CapacityType.ON_DEMAND)
            .mapToLong(SpillReport.Spilled::used)
            .sum()
        / GPU_HOUR;
  }

  /** Nodes bought for the row, see {@link #row}. */
  String bought() {
    return "%26s %d nodes bought, %,.0f node-hours (%,.0f GPU-hours, %,.0f used), ready after %s (p95 %s), %d refusals; %d evictions on spot nodes, %d moves back"
        .formatted(
            "",
            supplier.bought(),
            supplier.nodeHours(),
            supplier.gpuHours(),
            onDemandHours(),
            supplier.bought() == 0 ? "-" : text(supplier.boots().at(50)),
            supplier.bought() == 0 ? "-" : text(supplier.boots().at(95)),
            supplier.refusals(),
            spotEvictions(),
            moves());
  }

  /** Above {@link #row}. */
  static String heading() {
    return "%-26s %10s %9s %9s %9s %9s %9s %10s %9s %9s %s"
        .formatted(
            "",
            "cost",
            "on-demand",
            "spot",
            "wait mean",
            "wait p95",
            "reserved",
            "spill GPUh",
            "servable",
            "evictions",
            "finished");
  }

  private static String text(Duration wait) {
    long seconds = wait.toSeconds();
    if (seconds < 120) {
      return seconds + " s";
    }
    return seconds < 7200 ? seconds / 60 + " min" : "%.1f h".formatted(seconds / 3600.0);
  }
}
