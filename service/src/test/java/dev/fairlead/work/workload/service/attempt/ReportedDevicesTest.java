package dev.fairlead.work.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parsing of the reports of a node agent. */
class ReportedDevicesTest {
  private static final String GPU = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(19);
  private final MemoryStores stores = fairlead.stores();
  private final List<String> calls = new ArrayList<>();
  private final ReportedDevices devices =
      new ReportedDevices(
          counted(stores.jobs()),
          new JobWriter(stores.jobs(), stores.explanations(), transition -> {}));

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

  /** Fails when each node of a gang reads the members of all nodes with each report. */
  @Test
  void unchangedReportReadsOnlyTheMembersOfItsNode() {
    var _ = fairlead.register("eu", new FleetPool(1, 8, "H100", 1, 1));
    Specs held = Specs.job("held").gpus(1).annotation("sim.fairlead.dev/run-for", "30m");
    Job job = fairlead.until(fairlead.submit(held), JobState.RUNNING);
    Member member = fairlead.attempts(job).getFirst().members().getFirst();
    List<PodDevices> pods = List.of(new PodDevices(member.uid(), List.of(GPU)));

    devices.reported(member.node(), pods, "agent");
    assertThat(fairlead.attempts(job).getFirst().members().getFirst().devices().reports())
        .isNotEmpty();
    calls.clear();
    devices.reported(member.node(), pods, "agent");
    assertThat(calls).containsExactly("membersOnGpusOf");
  }
}
