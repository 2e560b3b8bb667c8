package dev.fairlead.limit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CachedLimitsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final List<Runnable> beside = new ArrayList<>();
  private long nanos;
  private int waits;
  private final CachedLimits cached =
      new CachedLimits(
          stores.transactions(),
          stores.limits(),
          0,
          () -> nanos,
          work -> beside.add(work),
          _ -> waited());

  private CachedLimits reading(LimitStore limits) {
    return new CachedLimits(
        stores.transactions(), limits, 0, () -> nanos, Runnable::run, _ -> waited());
  }

  private Duration waited() {
    waits++;
    return Duration.ZERO;
  }

  private void set(long activeJobs) {
    stores
        .transactions()
        .run(() -> {
          SetLimits next =
              stores
                  .limits()
                  .of(world.tenant().id(), null)
                  .with(new TreeMap<>(Map.of(Limit.ACTIVE_JOBS, activeJobs)));
          stores.limits().put(next);
        });
  }

  private void after(Duration time) {
    nanos += time.toNanos();
  }

  private void read() {
    List<Runnable> due = List.copyOf(beside);
    beside.clear();
    due.forEach(Runnable::run);
  }

  private void first() {
    assertThatThrownBy(this::seen).isInstanceOf(Refusal.class);
    read();
  }

  private long seen() {
    return cached.now().ofTenant(world.tenant().id().text(), Limit.ACTIVE_JOBS).value();
  }

  /** Fails when a request reads by itself, or when what another replica changed never comes. */
  @Test
  void aChangeIsSeenAfterTwoSecondsAndNoRequestReadsIt() {
    first();
    set(7);
    assertThat(seen()).isGreaterThan(7);
    assertThat(beside).isEmpty();

    after(Duration.ofSeconds(2));
    assertThat(seen()).isGreaterThan(7);
    seen();
    assertThat(beside).hasSize(1);
    read();

    assertThat(seen()).isEqualTo(7);
  }

  /** Fails when the first request after a quiet hour counts by what held an hour ago. */
  @Test
  void whatIsOldIsReadBeforeItCounts() {
    CachedLimits waits = reading(stores.limits());
    waits.now();
    set(7);
    after(Duration.ofHours(1));

    assertThat(waits.now().ofTenant(world.tenant().id().text(), Limit.ACTIVE_JOBS).value())
        .isEqualTo(7);
  }

  /** Fails when limits are forgotten while they cannot be read. */
  @Test
  void withoutAnAnswerWhatWasReadLastGoesOn() {
    set(7);
    first();
    after(Duration.ofHours(1));

    assertThat(seen()).isEqualTo(7);
  }

  /** Fails when a fresh replica admits by the defaults what a tenant's limit refuses. */
  @Test
  void beforeTheFirstReadingNothingIsAdmitted() {
    set(7);

    assertThatThrownBy(this::seen)
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.UNAVAILABLE));
    read();

    assertThat(seen()).isEqualTo(7);
  }

  /** Fails when each request reads and waits again while limits cannot be read. */
  @Test
  void aReadingThatFailsCountsForASecond() {
    Broken broken = new Broken(stores.limits());
    CachedLimits fails = reading(broken);
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(fails::now).isInstanceOf(Refusal.class);
    }
    assertThat(broken.readings).isEqualTo(1);
    assertThat(waits).isEqualTo(1);

    after(Duration.ofSeconds(1));
    assertThatThrownBy(fails::now).isInstanceOf(Refusal.class);
    assertThat(broken.readings).isEqualTo(2);

    broken.works = true;
    after(Duration.ofSeconds(1));
    assertThat(fails.now().ofTenant("", Limit.PROJECTS).value()).isEqualTo(1_000);
  }

  /** Fails when a reading that does not come is waited for by each request. */
  @Test
  void aReadingThatIsLateIsWaitedForOnceInASecond() {
    first();
    after(Duration.ofHours(1));
    waits = 0;
    for (int i = 0; i < 5; i++) {
      seen();
    }
    assertThat(waits).isEqualTo(1);

    after(Duration.ofSeconds(1));
    seen();
    assertThat(waits).isEqualTo(2);
  }

  private static final class Broken implements LimitStore {
    private final LimitStore real;
    private int readings;
    private boolean works;

    private Broken(LimitStore real) {
      this.real = real;
    }

    @Override
    public List<Named> all() {
      readings++;
      if (!works) {
        throw new IllegalStateException("no answer");
      }
      return real.all();
    }

    @Override
    public SetLimits of(TenantId tenant, @Nullable ProjectId project) {
      return real.of(tenant, project);
    }

    @Override
    public void put(SetLimits limits) {
      real.put(limits);
    }
  }
}
