package dev.fairlead.work.raypool.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Drivers that a pass of a Ray pool reads. */
class RayDriversTest {
  private static final WarmPool.Sharing SHARING =
      new WarmPool.Sharing(0, 2, Duration.ofMinutes(10));

  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final RayDrivers drivers = new RayDrivers(stores.jobs(), stores.transactions());
  private final ConfigDocument<WarmPool> pool = pool(3);

  private ConfigDocument<WarmPool> pool(int clusters) {
    WarmPool wanted = new WarmPool("small", world.project().name(), clusters, SHARING, "{}", false);
    return new ConfigDocument<>(
        WarmPool.DOCUMENTS, "small", world.tenant().id(), world.project().id(), wanted, 1);
  }

  private List<Job> submit(int number, Specs... specs) {
    return IntStream.range(0, number)
        .mapToObj(each -> {
          Specs spec = specs.length == 0 ? Specs.job(world.uniqueName("driver")) : specs[each];
          return world.submit(world.newJob(RayPoolJob.driver(spec.build(), "small")));
        })
        .toList();
  }

  private Map<JobId, Job> read(ConfigDocument<WarmPool> of) {
    return drivers.read(world.project(), of, SHARING);
  }

  private void assign(Job driver, int cluster) {
    String name = WarmPool.clusterName("small", cluster);
    world.append(
        OwnerTransitions.patch(
            driver, RayPoolJob.assigned(driver.spec(), name, "ray://x:1"), List.of(), "a"));
    drivers.assigned(pool, List.of(driver.id()));
  }

  /** Fails when the duration of a pass grows with the number of waiting drivers. */
  @Test
  void aPassReadsNoMoreWaitingDriversThanThePoolHasRoomFor() {
    List<Job> all = submit(300);

    for (String pass : List.of("after a change of the process", "the next pass")) {
      assertThat(read(pool)).as(pass).hasSizeLessThanOrEqualTo(50).containsKey(all.getFirst().id());
    }

    IntStream.range(0, 6).forEach(i -> assign(all.get(i), 1 + i / SHARING.jobs()));
    assertThat(read(pool)).as("a full pool").hasSize(6);
    assertThat(read(pool)).as("the next pass").hasSize(6);
    drivers.forget();
    assertThat(read(pool).keySet())
        .as("after another change of the process")
        .isEqualTo(all.subList(0, 6).stream().map(Job::id).collect(Collectors.toSet()));
  }

  /**
   * Fails when running drivers are forgotten, because the database was away in the first pass, and
   * their Ray clusters count as idle.
   */
  @Test
  void aFirstPassThatFailsReadsTheAssignedDriversAgain() {
    List<Job> all = submit(7);
    IntStream.range(0, 2).forEach(i -> assign(all.get(i), 1));
    AtomicBoolean away = new AtomicBoolean(true);
    JobStore failing =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("list") && away.getAndSet(false)) {
                    throw new IllegalStateException("the database is away");
                  }
                  return method.invoke(stores.jobs(), arguments);
                });
    RayDrivers next = new RayDrivers(failing, stores.transactions());

    assertThatThrownBy(() -> next.read(world.project(), pool, SHARING))
        .hasMessage("the database is away");

    assertThat(next.read(world.project(), pool, SHARING))
        .containsKeys(all.get(0).id(), all.get(1).id());
  }

  /** Fails when the drivers of removed Ray clusters hold the places of the remaining ones. */
  @Test
  void aWaitingDriverIsFoundForAFreePlaceOfAPoolThatWasReduced() {
    List<Job> all = submit(6);
    all.subList(0, 2).forEach(driver -> assign(driver, 2));
    all.subList(2, 4).forEach(driver -> assign(driver, 3));
    assign(all.get(4), 1);
    assertThat(read(pool)).hasSize(6);

    assertThat(read(pool(1))).containsKey(all.get(5).id());
  }

  /** Fails when drivers that cannot start yet hide the drivers behind them. */
  @Test
  void driversBehindOnesThatWaitForATimeAreFound() {
    Specs[] later =
        IntStream.range(0, 260)
            .mapToObj(each ->
                Specs.job(world.uniqueName("later"))
                    .notBefore(world.now().plus(Duration.ofDays(1))))
            .toArray(Specs[]::new);
    submit(later.length, later);
    Job ready = submit(1).getFirst();
    Map<JobId, Job> _ = read(pool);

    SortedSet<JobId> found = new TreeSet<>();
    for (int pass = 0; pass < 3; pass++) {
      found.addAll(read(pool).keySet());
    }
    assertThat(found).contains(ready.id());
  }
}
