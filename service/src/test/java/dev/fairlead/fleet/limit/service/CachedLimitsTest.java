package dev.fairlead.fleet.limit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
          stores.configs(),
          0,
          () -> nanos,
          work -> beside.add(work),
          _ -> waited());

  private CachedLimits reading(ConfigStore limits) {
    return new CachedLimits(
        stores.transactions(), limits, 0, () -> nanos, Runnable::run, _ -> waited());
  }

  private Duration waited() {
    waits++;
    return Duration.ZERO;
  }

  private void set(long activeJobs) {
    world.limit(null, Map.of(Limit.ACTIVE_JOBS, activeJobs));
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

  /** Fails when a request reads, or when a change by another replica is never read. */
  @Test
  void changeIsSeenAfterTwoSecondsWithoutAReadByARequest() {
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

  /** Fails when the first request after a quiet hour counts by the state of an hour ago. */
  @Test
  void expiredLimitsAreReadBeforeUse() {
    CachedLimits waits = reading(stores.configs());
    waits.now();
    set(7);
    after(Duration.ofHours(1));

    assertThat(waits.now().ofTenant(world.tenant().id().text(), Limit.ACTIVE_JOBS).value())
        .isEqualTo(7);
  }

  /** Fails when limits are forgotten while they cannot be read. */
  @Test
  void lastReadLimitsRemainInUseDuringAnOutage() {
    set(7);
    first();
    after(Duration.ofHours(1));

    assertThat(seen()).isEqualTo(7);
  }

  /** Fails when a new replica admits requests by the defaults that a tenant's limit rejects. */
  @Test
  void nothingIsAdmittedBeforeTheFirstRead() {
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
  void failedReadIsCachedForASecond() {
    Broken broken = new Broken(stores.configs());
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

  /** Fails when each request waits for a read that does not finish. */
  @Test
  void lateReadIsAwaitedOnceASecond() {
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

  private static final class Broken implements ConfigStore {
    private final ConfigStore real;
    private int readings;
    private boolean works;

    private Broken(ConfigStore real) {
      this.real = real;
    }

    @Override
    public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type) {
      readings++;
      if (!works) {
        throw new IllegalStateException("no answer");
      }
      return real.all(type);
    }

    @Override
    public int count(ConfigType<?> type) {
      return real.count(type);
    }

    @Override
    public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type, TenantId tenant) {
      return real.all(type, tenant);
    }

    @Override
    public <T extends Record> Optional<ConfigDocument<T>> find(
        ConfigType<T> type, @Nullable TenantId tenant, String name) {
      return real.find(type, tenant, name);
    }

    @Override
    public <T extends Record> ConfigDocument<T> put(ConfigDocument<T> document) {
      return real.put(document);
    }

    @Override
    public void remove(ConfigDocument<?> document) {
      real.remove(document);
    }
  }
}
