package dev.fairlead.work.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class OwnersTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final TestWorld other = TestWorld.in(stores);
  private final List<String> reads = new ArrayList<>();

  /** Fails when each attempt reads its tenant and its project: with four attempts eight reads. */
  @Test
  void projectIsReadOnceForAllItsAttempts() {
    List<AttemptCase> cases =
        List.of(one(world, "a"), one(world, "b"), one(world, "c"), one(other, "d"));

    Owners owners = Owners.of(counted(), cases);

    assertThat(reads).containsExactly("project", "tenant", "project", "tenant");
    assertThat(owners.project(cases.getFirst()).id()).isEqualTo(cases.getFirst().job().project());
    assertThat(owners.tenant(cases.getLast()).id()).isEqualTo(cases.getLast().job().tenant());
  }

  /** Fails when an attempt without its project stops the pass of the others. */
  @Test
  void missingProjectFailsOnlyItsAttempt() {
    AttemptCase known = one(world, "a");
    AttemptCase unknown = one(other, "b");

    Owners owners = Owners.of(stores.tenants(), List.of(known));

    assertThat(owners.project(known)).isNotNull();
    assertThatThrownBy(() -> owners.project(unknown))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining(unknown.attempt().id().text());
  }

  private static AttemptCase one(TestWorld in, String name) {
    Job job = in.submit(Specs.job(name));
    Attempt attempt = in.place(job);
    return new AttemptCase(attempt, job, null);
  }

  private TenantStore counted() {
    return (TenantStore)
        Proxy.newProxyInstance(
            TenantStore.class.getClassLoader(),
            new Class<?>[] {TenantStore.class},
            (proxy, method, arguments) -> {
              reads.add(method.getName());
              return method.invoke(stores.tenants(), arguments);
            });
  }
}
