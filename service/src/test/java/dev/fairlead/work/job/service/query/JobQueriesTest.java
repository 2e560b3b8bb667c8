package dev.fairlead.work.job.service.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class JobQueriesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final List<Object> asked = new ArrayList<>();

  private JobQueries queries() {
    JobStore noting =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("latestAttempts")) {
                    asked.addAll((Collection<?>) arguments[1]);
                  }
                  return method.invoke(stores.jobs(), arguments);
                });
    return new JobQueries(
        stores.transactions(),
        noting,
        stores.tenants(),
        new OwnerNames(stores.tenants()),
        stores.explanations(),
        stores.events(),
        stores.progress(),
        stores.outputs(),
        stores.inventory(),
        RayPools.ANY);
  }

  /**
   * Fails when a list searches the newest attempt of an ended array among the attempts of its
   * elements.
   */
  @Test
  void pageOfLargestEndedArraysShowsOnlyTheirCounts() {
    for (int i = 0; i < 100; i++) {
      Job array = world.submit(Specs.job("array-" + i).array("0-9999%100"));
      world.append(JobTransitions.cancel(array, false, world.now(), "ana").orElseThrow());
    }
    world.submit(Specs.job("alive").array("0-9%2"));

    List<JobView> page = queries().jobs(ana, newest(101)).jobs();

    assertThat(page).hasSize(101);
    assertThat(page.getLast().job().array()).matches(array -> array.cancelled() == 10_000);
    assertThat(asked).as("attempts sought").isEmpty();
    assertThat(queries().job(ana, page.getLast().job().id()).job().array()).isNotNull();
    assertThat(asked).as("those of one job are").hasSize(1);
  }

  /** Fails when a list sorts all attempts of an array that lives to show the newest. */
  @Test
  void pageShowsALiveArrayByItsLastElement() {
    Job array = world.submit(Specs.job("alive").array("0-9%2"));
    world.place(array, 0, "node-1");
    Attempt last = world.place(world.job(array), 1, "node-1");

    assertThat(queries().jobs(ana, newest(10)).jobs())
        .extracting(JobView::attempt)
        .containsExactly(last);
    assertThat(asked).as("attempts sought among all").isEmpty();
  }

  private JobFilter newest(int pageSize) {
    return new JobFilter(
        ana.tenant(),
        null,
        List.of(),
        List.of(),
        null,
        null,
        new TreeMap<>(),
        null,
        null,
        JobFilter.Order.NEWEST,
        null,
        pageSize);
  }
}
