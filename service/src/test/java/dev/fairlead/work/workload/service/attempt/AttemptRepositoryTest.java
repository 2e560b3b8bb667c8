package dev.fairlead.work.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Reads and decisions of a supervisor on locked rows. */
class AttemptRepositoryTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final List<String> calls = new ArrayList<>();
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final AttemptRepository repository =
      ServiceParts.attempts(stores, counted(stores.jobs()));

  private JobStore counted(JobStore jobs) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              try {
                return method.invoke(jobs, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private List<AttemptCase> read(Attempt... attempts) {
    return repository.read(
        world.cluster().id(), List.of(attempts).stream().map(Attempt::id).toList());
  }

  private Map<AttemptId, AttemptState> decide(List<AttemptCase> seen) {
    Map<AttemptId, AttemptState> states = new TreeMap<>();
    repository.change(
        lease,
        world.cluster().id(),
        seen,
        (now, at) -> {
          states.put(now.id(), now.attempt().state());
          return null;
        });
    return states;
  }

  /** Fails when the decision reads the jobs, the attempts or the members again. */
  @Test
  void decisionOnAnUnchangedAttemptReadsOnlyTheVersionOfItsJob() {
    Attempt attempt = world.place(world.submit(Specs.job("same")));
    List<AttemptCase> seen = read(attempt);
    calls.clear();

    assertThat(decide(seen)).containsExactly(Map.entry(attempt.id(), AttemptState.PLANNED));
    assertThat(calls).containsExactly("now", "lockVersions");
  }

  /** Fails when a decision is made on a row that another process changed. */
  @Test
  void decisionOnAChangedAttemptUsesItsStoredRows() {
    Attempt same = world.place(world.submit(Specs.job("same")));
    Attempt moved = world.place(world.submit(Specs.job("moved")));
    List<AttemptCase> seen = read(same, moved);
    world.run(moved);

    assertThat(decide(seen))
        .containsOnly(
            Map.entry(same.id(), AttemptState.PLANNED),
            Map.entry(moved.id(), AttemptState.RUNNING));
  }
}
